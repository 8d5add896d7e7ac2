// The order of the pictures of a photo, and their texts.

/** Returns a list whose entry at `index` is moved by a number of places. */
export const moved = (list, index, by) => {
  const others = list.toSpliced(index, 1);
  return others.toSpliced(index + by, 0, list[index]);
};

/** Returns the pictures with the text alternatives of a form. A picture without a text has none. */
export const inOrder = (pictures, values) =>
  pictures.map((picture) => ({...picture, altText: values["altText" + picture.key] || undefined}));
