// Decodes a blurhash (https://blurha.sh): a few cosine waves per color, written in base 83.

const DIGITS = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz#$%*+,-.:;=?@[]^_{|}~";
const number = (text) => [...text].reduce((value, digit) => value * 83 + DIGITS.indexOf(digit), 0);

const toLinear = (byte) => byte <= 10 ? byte / 3294.6 : ((byte / 255 + 0.055) / 1.055) ** 2.4;
const toByte = (light) => 255 * (light <= 0.0031308 ? light * 12.92 : 1.055 * light ** (1 / 2.4) - 0.055);

/** Draws a blurhash on the whole of a small canvas. */
export function draw(canvas, hash) {
  const across = number(hash[0]) % 9 + 1;
  const down = Math.floor(number(hash[0]) / 9) + 1;
  const strength = (number(hash[1]) + 1) / 166;
  const average = number(hash.slice(2, 6));
  const waves = [[average >> 16, average >> 8 & 255, average & 255].map(toLinear)];
  for (let at = 6; at < 4 + 2 * across * down; at += 2) {
    const wave = number(hash.slice(at, at + 2));
    const parts = [Math.floor(wave / 361), Math.floor(wave / 19) % 19, wave % 19];
    waves.push(parts.map((part) => Math.sign(part - 9) * ((part - 9) / 9) ** 2 * strength));
  }

  const {width, height} = canvas;
  const context = canvas.getContext("2d");
  const image = context.createImageData(width, height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const light = [0, 0, 0];
      waves.forEach((wave, index) => {
        const here = Math.cos(Math.PI * x * (index % across) / width)
          * Math.cos(Math.PI * y * Math.floor(index / across) / height);
        wave.forEach((part, color) => light[color] += part * here);
      });
      image.data.set([...light.map((part) => toByte(Math.max(0, part))), 255], 4 * (y * width + x));
    }
  }
  context.putImageData(image, 0, 0);
}
