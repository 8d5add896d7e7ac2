//! The motifs of the pictures: scenes, each in some colors, and portraits.

use super::canvas::{Canvas, Rgb};
use super::city::{bridge, city};
use super::mountains::{aurora, forest, lake, snow};
use super::plains::{balloons, cactus, dunes, fields};
use super::plants::{blossoms, leaves, tulips};
use super::portrait::portrait;
use super::sea::{beach, lighthouse, palms, sailing};
use super::still::{coffee, fruit};
use super::street::{lanterns, market, street};
use super::window::{cat, rain};

/// The motif of one picture.
pub(super) struct Motif {
    /// Draws the scene in these colors.
    pub(super) draw: fn(&mut Canvas, &[Rgb]),
    pub(super) colors: &'static [Rgb],
    /// The width and the height in pixels.
    pub(super) size: (u32, u32),
    pub(super) alt_text: &'static str,
    /// Captions that its photographer may write.
    pub(super) captions: &'static [&'static str],
}

const WIDE: (u32, u32) = (1600, 900);
const LANDSCAPE: (u32, u32) = (1600, 1067);
const CLASSIC: (u32, u32) = (1600, 1200);
const SQUARE: (u32, u32) = (1600, 1600);
const UPRIGHT: (u32, u32) = (1200, 1600);
const TALL: (u32, u32) = (1067, 1600);

const fn motif(
    draw: fn(&mut Canvas, &[Rgb]),
    size: (u32, u32),
    colors: &'static [Rgb],
    alt_text: &'static str,
    captions: &'static [&'static str],
) -> Motif {
    Motif { draw, colors, size, alt_text, captions }
}

/// The scenes, in an order in which neighbours differ.
#[rustfmt::skip]
pub(super) const SCENES: &[Motif] = &[
    motif(sailing, LANDSCAPE, &[0x2c_3e70, 0xd8_6a5a, 0xf8_c080, 0xff_f0c0, 0xd8_8a70, 0x24_4a6c, 0xff_f4e0, 0x6a_2c30],
        "A sailing boat on a calm sea at sunset, islands behind it",
        &["The pier is back there somewhere", "Pôr do sol, vento nenhum", "Last boat in ⛵"]),
    motif(city, CLASSIC, &[0x0a_0e2c, 0x1e_2250, 0x6a_3c6c, 0x2a_2850, 0x0c_1026, 0xff_cc70, 0xff_e8b0, 0xff_f4d8],
        "A skyline by night, mirrored in a river, and the full moon",
        &["City lights from the ferry", "終電のあと", "Every window is somebody's evening"]),
    motif(balloons, UPRIGHT, &[0x6a_a8dc, 0xb8_d8ec, 0xff_e4c0, 0xb0_b4c8, 0x4a_6a58, 0xe0_4838, 0xff_c840, 0x2a_78b8, 0xf8_f0e0, 0x7a_3a8c],
        "Six hot-air balloons over hills in the morning",
        &["Up at four, up in the air at six", "Kapadokya, sabah altı 🎈", "The quietest traffic jam ever"]),
    motif(coffee, CLASSIC, &[0x7a_4c2e, 0xe8_e4dc, 0x8a_5226, 0xf4_dfc0, 0x5a_7480],
        "A cup of coffee with a leaf in its foam, from above",
        &["Coffee first", "First try at a rosetta, be kind", "Kaffee, dann alles andere ☕"]),
    motif(aurora, LANDSCAPE, &[0x04_0a1e, 0x0a_1c38, 0x1c_4050, 0x50_ffa0, 0x80_60ff, 0xe0_f0ff, 0x50_6c90],
        "Green northern lights above snowy mountains",
        &["Minus twenty and worth every finger", "Nordlys igjen i natt", "It moved like a curtain in the wind"]),
    motif(market, SQUARE, &[0xc4_b49c, 0xd8_4838, 0xf0_a830, 0x2a_8c8c, 0x38_5ca8, 0xe8_6c80, 0x78_a848],
        "Colored umbrellas of a market, seen from above",
        &["Saturday market, from the bell tower", "Il mercato visto dall'alto", "Counted 31 umbrellas. You?"]),
    motif(forest, TALL, &[0xb8_ccd4, 0xe8_eeec, 0xa4_b8bc, 0x14_2c2c],
        "Conifers that fade into white fog",
        &["Nobody else up here", "Туман до самого озера", "Could hear the deer, not see them"]),
    motif(street, UPRIGHT, &[0x7a_b4e0, 0xf4_dcb8, 0x8c_7a70, 0xe0_9050, 0xd0_6858, 0xe8_c070, 0x6a_9a98, 0xc8_8898, 0xff_e4a8],
        "A narrow street of colored houses, strings of lamps above it",
        &["Turned left instead of right", "Rua sem nome, luz perfeita", "Same street as last year, other weather"]),
    motif(dunes, WIDE, &[0x50_6aa8, 0xe8_9c78, 0xff_dca8, 0xff_f4d0, 0xf4_c080, 0xb0_6a58, 0xe8_984c, 0x6a_3034],
        "Dunes with long shadows in a low sun",
        &["Sand in every lens", "الصحراء عند الغروب", "My footprints are behind me"]),
    motif(leaves, UPRIGHT, &[0x0a_2418, 0x2c_6c40, 0x3c_8a4c, 0x1e_5a44, 0x64_a050, 0xc8_e8a0],
        "Green leaves with drops of water, close up",
        &["After the rain", "Grün ist auch eine Farbe", "Macro lens, first day"]),
    motif(bridge, WIDE, &[0x38_3c78, 0xd0_6c78, 0xff_c898, 0x50_4468, 0xa8_3a34, 0x4a_4a78, 0xff_dc9c],
        "A red suspension bridge at dusk, hills in the haze behind it",
        &["Walked all 2.7 kilometres of it", "Puente, niebla, paciencia", "Commuting, but slowly"]),
    motif(fruit, CLASSIC, &[0xd0_b898, 0x8a_5c40, 0x3a_6c8c, 0x5a_7848, 0xe8_8a30, 0xd0_4838, 0x8c_3858, 0xff_f0d0],
        "A blue vase with branches, and oranges and apples on a table",
        &["Still life with breakfast", "Naranjas del jardín de mi abuela", "Ate the models afterwards"]),
    motif(lighthouse, UPRIGHT, &[0x14_1c40, 0x3c_4478, 0xc0_7878, 0x28_3c5c, 0x54_4c50, 0xc8_3c38, 0xff_f0b0],
        "A red and white lighthouse on a rock, its beam over the sea",
        &["Four flashes every fifteen seconds", "Leuchtturm, 214 Stufen", "The keeper's grandson made us tea"]),
    motif(tulips, LANDSCAPE, &[0x58_9cd8, 0xd8_e8f0, 0xe0_3848, 0xff_c83c, 0xf4_7ca0, 0x8c_3c98, 0x9c_6848, 0x48_8040],
        "Rows of tulips in four colors that lead to a windmill",
        &["Tulpen, zover je kijken kunt", "Cycled here. Worth the headwind", "Stripes 🌷"]),
    motif(cat, SQUARE, &[0x70_9cc8, 0xf8_dcb4, 0x60_7c84, 0xc8_a890, 0xf0_e8dc, 0xd0_7c38, 0xb8_4c4c],
        "A ginger cat on a window sill, looking out at hills",
        &["The boss, waiting", "吾輩は猫である", "He has been watching the same pigeon since Monday"]),
    motif(palms, LANDSCAPE, &[0x2a_1a58, 0xb0_3c80, 0xff_8c68, 0xff_f0a0, 0xff_6c70, 0x5a_2c70, 0x18_0c28],
        "Palms in front of a huge setting sun, which glitters on the sea",
        &["Sunset, no filter, I promise", "ಸಂಜೆಯ ಸೂರ್ಯ", "Away until Monday 🌴"]),
    motif(fields, CLASSIC, &[0x8c_a850, 0xd8_c068, 0x6a_8c44, 0xe8_d890, 0xa8_7c4c, 0x4c_7840, 0xd8_ccb8, 0x4c_8ca8, 0x2e_5430],
        "Fields and a winding river, from above",
        &["Window seat, 11A", "Somebody down there is having lunch", "Z góry wszystko jest patchworkiem"]),
    motif(rain, UPRIGHT, &[0x14_1a30, 0x26_2c4c, 0x3c_304c, 0xff_b050, 0xff_5c50, 0x50_b8e8, 0xff_e0a0],
        "Drops of rain on a window, blurred lights of a street behind it",
        &["Missed the tram for this one", "雨の夜が好き", "It rained all week, so here you are"]),
    motif(lake, LANDSCAPE, &[0x50_90d0, 0xc8_e0f0, 0x50_6078, 0xf4_f8ff, 0x24_4838, 0x24_5068],
        "Snowy mountains, mirrored in a clear lake",
        &["Cold feet, warm heart", "Spieglein, Spieglein", "We had the lake to ourselves"]),
    motif(beach, UPRIGHT, &[0x14_6c94, 0x5c_c8c8, 0xe8_d0a0, 0xe8_5048, 0xff_c040, 0x2a_70b0, 0xf4_8c9c],
        "A beach with umbrellas and waves, from above",
        &["Found the last free umbrella", "Όλοι στη θάλασσα", "Salt water solves most things"]),
    motif(snow, CLASSIC, &[0x14_2048, 0x3c_5088, 0xa0_98b8, 0xb8_c8e0, 0xe8_f0fa, 0x58_3c30, 0xff_c868],
        "A cabin with lit windows in the snow, at dusk",
        &["Snowed in. Send chocolate", "Mökki, vihdoinkin", "Three logs left"]),
    motif(lanterns, TALL, &[0x0c_1030, 0x24_2048, 0xf0_4838, 0xff_a038, 0xff_6850, 0x1e_1828],
        "Red and orange paper lanterns over a street by night",
        &["Lantern festival, day two", "元宵节快乐", "Follow the light, find the dumplings"]),
    motif(blossoms, LANDSCAPE, &[0x7c_b8e8, 0xf0_e4ec, 0x5c_78a8, 0xff_ffff, 0x50_3430, 0xf8_b0c8, 0xe8_6c9c],
        "Pink blossoms in front of a snow-capped mountain",
        &["One week a year", "満開", "벚꽃 시즌 시작!"]),
    motif(cactus, UPRIGHT, &[0x3c_5c98, 0xe8_9880, 0xff_d8a0, 0xff_f4c8, 0x98_5448, 0xc0_7c54, 0x3c_7048, 0x90_b868],
        "A tall cactus in a desert, flat mountains behind it",
        &["He has been waiting for a hug since 1890", "Calor seco, dicen", "Careful where you sit"]),

    motif(city, UPRIGHT, &[0x18_3858, 0x4c_7c98, 0xf8_b890, 0x4c_6884, 0x18_2c44, 0xff_d890, 0xff_f0d0, 0xff_ffff],
        "Towers at dawn, their first lights mirrored in the water",
        &["Office, seen from the better side", "Gün doğmadan İstanbul", "05:40. Nobody believes me"]),
    motif(forest, LANDSCAPE, &[0xf0_b880, 0xff_e4bc, 0xd0_9078, 0x38_1c28],
        "A wood in the red mist of the morning",
        &["Ten minutes of this, then grey again", "Świt w Bieszczadach", "First frost"]),
    motif(palms, UPRIGHT, &[0x10_4c70, 0x3c_a8a8, 0xff_d8a0, 0xff_fff0, 0xff_c070, 0x1c_6c80, 0x0a_2830],
        "Palms by a turquoise sea in the evening",
        &["Out of office", "Fim de tarde em casa", "The hammock is just outside the frame"]),
    motif(dunes, LANDSCAPE, &[0x10_1840, 0x3c_3c78, 0x90_7ca8, 0xf0_ecff, 0x80_80b8, 0x38_3468, 0x58_589c, 0x14_1438],
        "Blue dunes by moonlight",
        &["Full moon, no torch needed", "ليلة في الصحراء", "Eight hours by camel, two by regret"]),
    motif(coffee, SQUARE, &[0x3c_5058, 0x30_80a0, 0x70_3c1c, 0xf8_e8d0, 0xe0_c0a0],
        "A blue cup of coffee on a dark table, from above",
        &["Second one today. Third. Fine", "Kahvesiz olmaz", "Sunday"]),
    motif(sailing, UPRIGHT, &[0x3c_88d0, 0x88_c0e8, 0xe0_f0f4, 0xff_ffff, 0x60_b0d0, 0x10_5890, 0xff_ffff, 0xc8_3c30],
        "A boat with white sails on a bright blue sea",
        &["Force four, no complaints", "Segeln lernt man nie aus", "Crew of two, lunch for five"]),
    motif(tulips, UPRIGHT, &[0xe8_8c70, 0xff_dcb0, 0x8c_2c50, 0xf8_f0e0, 0xd0_4868, 0xf0_a048, 0x6c_4438, 0x50_7048],
        "Tulips in the evening light, a windmill at the end of the field",
        &["Golden hour does the work", "Le vent se lève", "Grandpa painted this mill every spring"]),
    motif(aurora, TALL, &[0x0a_0624, 0x20_1040, 0x4c_2058, 0xff_60a8, 0x60_60ff, 0xe8_e0ff, 0x58_5088],
        "Pink and violet northern lights above white mountains",
        &["Didn't know it came in pink", "Norðurljós í kvöld", "Kp 8. Nobody slept"]),
    motif(street, LANDSCAPE, &[0x14_1c44, 0x50_3c68, 0x38_3440, 0x7c_5c68, 0x50_6078, 0x8c_6c54, 0x44_5c5c, 0x70_4858, 0xff_c070],
        "A street by night under strings of warm lamps",
        &["Walking home the long way", "रात की सैर", "The bakery was already baking"]),
    motif(lake, UPRIGHT, &[0x6c_4c80, 0xf8_b8a0, 0x58_3c60, 0xff_d0b8, 0x24_2038, 0x40_2c58],
        "Mountains in the pink light of dawn above a still lake",
        &["The alarm was at four.\nWorth getting up for", "Alpenglühen, Teil 3", "The last light, and nobody else up here"]),
    motif(market, LANDSCAPE, &[0xa8_b0b0, 0xf8_f4ec, 0x2c_4c80, 0xe8_503c, 0xf4_c048, 0x58_a0b8, 0x30_7058],
        "White, blue and red umbrellas of a market on a grey square",
        &["Fish on the left, flowers on the right", "Pazar günü pazar", "Best peaches: third from the fountain"]),
    motif(leaves, LANDSCAPE, &[0x2c_1008, 0xc8_4c20, 0xe0_8830, 0xa0_3020, 0xd8_b040, 0xff_e0a0],
        "Red and golden autumn leaves, wet with rain",
        &["October in one square metre", "紅葉", "Film, and a lot of luck"]),
    motif(bridge, UPRIGHT, &[0x0c_1c38, 0x1c_4468, 0x60_98a8, 0x24_4458, 0x80_94a0, 0x18_3c54, 0xd8_f4ff],
        "A grey suspension bridge in the blue light before sunrise",
        &["Blue hour", "Мост, которого не видно", "The fog lifted for nine seconds"]),
    motif(cactus, LANDSCAPE, &[0x1c_1444, 0x70_3078, 0xf0_7c70, 0xff_e0a0, 0x4c_2458, 0x70_3c58, 0x24_5850, 0x68_9c78],
        "Cactuses in the violet light after sunset",
        &["Forty degrees at nine in the evening", "Buenas noches, desierto", "Coyotes: heard 3, seen 0"]),
    motif(rain, LANDSCAPE, &[0x0c_2024, 0x18_3838, 0x2c_504c, 0x60_ffc0, 0x40_c0ff, 0xff_60b0, 0xff_f0a0],
        "A wet window in front of green and blue lights",
        &["Neon and noodles", "비 오는 날의 창가", "Waiting for the last bus"]),
    motif(balloons, LANDSCAPE, &[0x58_3c80, 0xe8_8080, 0xff_d098, 0xa0_7090, 0x3c_2c50, 0xff_6c40, 0x40_3070, 0xff_d860, 0xe0_4070, 0xff_f4e0],
        "Hot-air balloons in a red evening sky",
        &["Wish you were up here", "Qué silencio allá arriba", "Landed in a field of very surprised cows"]),
    motif(lighthouse, LANDSCAPE, &[0x3c_70a8, 0x98_c0d8, 0xf8_e8d0, 0x2c_6890, 0x70_6458, 0x28_5890, 0xff_ffe0],
        "A blue and white lighthouse on a clear day",
        &["Is that the old harbour? It is", "Phare ouest, marée basse", "Gulls: 1, sandwich: 0"]),
    motif(fruit, UPRIGHT, &[0x2c_4048, 0x18_2428, 0xd8_9858, 0x7c_9878, 0xf0_b840, 0xa8_2c38, 0x88_a048, 0xff_e8c0],
        "An earthen vase and fruit in front of a dark wall",
        &["Pretending to be a Dutch master", "Натюрморт в пятницу вечером", "One lamp, one bedsheet"]),
    motif(snow, UPRIGHT, &[0x40_70b0, 0x90_b8e0, 0xf8_e0d8, 0xd8_e8f8, 0xff_ffff, 0x78_4430, 0xff_d880],
        "A cabin between snowy firs on a bright winter day",
        &["Fresh powder, first tracks", "겨울 방학", "The sledge is behind the house"]),
    motif(beach, LANDSCAPE, &[0x0c_4c70, 0x38_a0b0, 0xf0_dcc0, 0x28_6c78, 0xff_f0e0, 0xf0_7048, 0x40_4c80],
        "Rows of umbrellas along the surf, from above",
        &["Back row, best row", "Praia cheia, alma leve", "Drone, five metres from losing it"]),
    motif(blossoms, UPRIGHT, &[0xf0_a890, 0xff_e4d0, 0x7c_6890, 0xff_f0e8, 0x40_2424, 0xff_f4f4, 0xf0_a0b0],
        "White blossoms and a mountain in the morning light",
        &["Petals in the camera bag, still", "花吹雪", "Worth the four trains"]),
    motif(lanterns, LANDSCAPE, &[0x08_1c28, 0x14_3840, 0xff_d060, 0xff_f0c0, 0xe0_8050, 0x10_2028],
        "Yellow paper lanterns between dark houses",
        &["Hội An, a little lost", "Everybody looked up at once", "Feierabend"]),
    motif(cat, UPRIGHT, &[0x1c_2850, 0x68_5c90, 0x2c_3454, 0x50_4c60, 0x90_8c98, 0x28_2830, 0x3c_5c78],
        "A black cat on a window sill at dusk",
        &["Night shift", "Кот и луна", "Do not be fooled. She has had dinner twice"]),
    motif(fields, SQUARE, &[0xd0_8848, 0xe8_b860, 0xa8_6838, 0xf0_d098, 0x8c_7c48, 0xc8_5c38, 0xe8_dcc8, 0x50_7c98, 0x70_5028],
        "Autumn fields in brown and orange, from above",
        &["Harvest, nearly done", "Balloon view, thanks @maja", "Geometry homework"]),
];

/// The portraits, one for each user, in the order of the users.
#[rustfmt::skip]
pub(super) const PORTRAITS: &[Motif] = &[
    portrait_of(&[0xf0_b878, 0xb0_5850, 0xf0_c4a0, 0x7c_3820, 0x2c_5c7c, 0xf4_e8d8, 0], "Ada, smiling, with long red hair"),
    portrait_of(&[0x8c_b8b0, 0x38_686c, 0x8c_5838, 0x1c_1414, 0xe0_a840, 0x3c_3c44, 13], "Ben, with a short beard, in a yellow shirt"),
    portrait_of(&[0xc8_b8e0, 0x70_5c9c, 0xf8_d4b8, 0xe8_c478, 0xa8_4868, 0xff_f0f0, 2], "Cara, with blond hair and a fringe"),
    portrait_of(&[0xf0_d0a8, 0xd0_8858, 0xe0_b088, 0x30_1c18, 0x38_7868, 0xf8_f0dc, 10], "Elif, with glasses, her hair tied up"),
    portrait_of(&[0x78_a8d0, 0x2c_5080, 0x60_3820, 0x14_1010, 0xe8_5c40, 0xf8_e8c8, 3], "Femi, laughing, with curls"),
    portrait_of(&[0xb8_d0a8, 0x5c_8858, 0xf8_d8c0, 0xf0_d890, 0x3c_5080, 0xf0_f0f0, 6], "Greta, with glasses and long fair hair"),
    portrait_of(&[0xe8_e0d0, 0x98_8c80, 0xf0_c898, 0x1c_1818, 0x28_3038, 0xe0_5848, 1], "Hiro, in a dark sweater"),
    portrait_of(&[0xf4_a890, 0xc0_5868, 0xd0_9468, 0x38_2018, 0xf8_e0b8, 0x2c_6c78, 9], "Ines, with curls and glasses"),
    portrait_of(&[0x98_a8b8, 0x48_586c, 0xf0_c8a8, 0x88_5c30, 0x70_3838, 0xe8_d8b8, 17], "Jonas, in a cap, with a beard"),
    portrait_of(&[0xf8_c860, 0xd0_7c30, 0x98_6040, 0x18_1014, 0xb0_2c58, 0xff_d870, 0], "Kavya, in pink, with long dark hair"),
    portrait_of(&[0x90_c8d8, 0x30_7c98, 0xe8_b890, 0x40_2818, 0xf0_f0e8, 0x2c_5c98, 13], "Leo, with a beard, in a white shirt"),
    portrait_of(&[0xe0_c0c8, 0xa0_6078, 0xf8_d8c4, 0xa8_6838, 0x40_6858, 0xf4_e8d8, 4], "Maja, her hair tied up"),
    portrait_of(&[0xa8_c0c8, 0x50_7080, 0xf4_d0b4, 0xd0_a860, 0x38_4c60, 0xd8_e0e4, 7], "Nils, with glasses"),
    portrait_of(&[0xd0_b0d8, 0x80_4c90, 0xf4_ccb0, 0x5c_2c28, 0x20_2c48, 0xe8_c0d0, 2], "Olga, with a dark red fringe"),
    portrait_of(&[0xf0_c090, 0xb0_6840, 0xc8_8c60, 0x24_1814, 0x3c_7c58, 0xf0_e0b0, 5], "Pablo, in a cap"),
    portrait_of(&[0xa8_d0c0, 0x40_8c78, 0xf8_d4c0, 0xc8_6030, 0x58_4878, 0xf0_e8f0, 3], "Quinn, with red curls"),
    portrait_of(&[0xf8_b8a8, 0xd0_6c68, 0xb0_7450, 0x20_1410, 0xf0_c848, 0xb8_3848, 4], "Rosa, in yellow, her hair tied up"),
    portrait_of(&[0xb0_b8d8, 0x50_5c90, 0xd0_9c70, 0x1c_1818, 0x78_8c58, 0xe8_e4d0, 13], "Sami, with a beard"),
    portrait_of(&[0xe8_d090, 0xb0_8c38, 0xa8_6c48, 0x14_0e10, 0x2c_6890, 0xf8_e8c0, 6], "Tara, with glasses and long hair"),
    portrait_of(&[0xd8_a8a0, 0x90_4c58, 0x90_5c3c, 0x1c_1214, 0x50_8898, 0xf8_e0d0, 2], "Uma, with a dark fringe"),
];

const fn portrait_of(colors: &'static [Rgb], alt_text: &'static str) -> Motif {
    motif(portrait, UPRIGHT, colors, alt_text, &["Hello, it's me", "New camera, old face", "That's me, for once"])
}
