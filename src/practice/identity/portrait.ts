/** Draws a made-up person's face: always the same for a name, and resembling nobody. */
import { repeatableRandom } from '../sources.ts'
import {
  box,
  type Colour,
  Drawing,
  ellipse,
  gradient,
  mixColours,
  parseColour,
  smoothOutline,
  strokeOutline
} from './drawing.ts'

const PORTRAIT = { width: 320, height: 400 }

const SKINS = ['#f5d6be', '#ecc4a4', '#deae8a', '#c6916a', '#a8734e', '#86583a', '#68432e'].map(parseColour)
const HAIRS = ['#221b19', '#3a281e', '#5c3c26', '#865c36', '#b88e58', '#96928e', '#7a3822'].map(parseColour)
const CLOTHES = ['#1f4e5f', '#483d6c', '#783a42', '#365c44', '#464e5c', '#946832'].map(parseColour)
/** Top and bottom colours. */
const BACKGROUNDS: Background[] = [
  [parseColour('#d6e2e8'), parseColour('#b2c4ce')],
  [parseColour('#e2ded4'), parseColour('#c4beb2')],
  [parseColour('#d2ded6'), parseColour('#b0c2b8')]
]
const CARD_BACKGROUND: Background = [parseColour('#ecf0f2'), parseColour('#dce2e6')]
const FRAME = parseColour('#262a30')
const BLACK = parseColour('#000000')
const WHITE = parseColour('#ffffff')

type Background = [Colour, Colour]

/** Where the picture was taken: by a camera (coloured background) or for a card (plain and pale). */
export type Occasion = 'camera' | 'card'

export function drawPortrait(name: string, occasion: Occasion): Drawing {
  const chance = repeatableRandom(`face ${name}`)
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(chance() * items.length)] as Item
  const face = {
    skin: pick(SKINS),
    hair: pick(HAIRS),
    clothes: pick(CLOTHES),
    ground: pick(BACKGROUNDS),
    style: pick(['short', 'long', 'bun', 'curls', 'side'] as const),
    width: 72 + chance() * 12,
    glasses: chance() < 0.28,
    beard: chance() < 0.22,
    brow: chance() * 5,
    smile: occasion === 'card' ? 2 : 5 + chance() * 6
  }
  if (face.style === 'long' || face.style === 'bun') face.beard = false
  return draw(face, occasion === 'card' ? CARD_BACKGROUND : face.ground)
}

interface Face {
  skin: Colour
  hair: Colour
  clothes: Colour
  style: 'short' | 'long' | 'bun' | 'curls' | 'side'
  width: number
  glasses: boolean
  beard: boolean
  brow: number
  smile: number
}

function draw(face: Face, [light, dark]: Background): Drawing {
  const drawing = new Drawing(PORTRAIT.width, PORTRAIT.height)
  const { skin, clothes, width } = face
  const shade = mixColours(skin, [60, 20, 20], 0.22)
  drawing.fill([box(0, 0, 320, 400)], gradient(light, dark, 0, 400))
  drawBackHair(drawing, face)
  // The back of the head, so that no background shows between hair and face.
  drawing.fill([ellipse(160, 152, width + 4, 86)], mixColours(face.hair, BLACK, 0.2))
  // Shoulders, collar and neck.
  const shoulders = smoothOutline('160,296 214,306 274,330 300,420 160,430 20,420 46,330 106,306')
  drawing.fill([shoulders], gradient(clothes, mixColours(clothes, BLACK, 0.35), 290, 400))
  drawing.fill([smoothOutline('128,240 192,240 194,306 160,336 126,306')], gradient(shade, skin, 250, 330))
  // Ears, then the face over them.
  for (const side of [-1, 1])
    drawing.fill([ellipse(160 + side * (width + 3), 190, 12, 20)], mixColours(skin, shade, 0.5))
  const jaw = smoothOutline(
    `160,88 ${160 + width * 0.72},108 ${160 + width},168 ${160 + width * 0.93},220 ${160 + width * 0.55},268
    160,288 ${160 - width * 0.55},268 ${160 - width * 0.93},220 ${160 - width},168 ${160 - width * 0.72},108`
  )
  drawing.fill([jaw], gradient(mixColours(skin, WHITE, 0.08), mixColours(skin, shade, 0.35), 120, 290))
  if (face.beard) drawBeard(drawing, face)
  drawFeatures(drawing, face, shade)
  drawFrontHair(drawing, face)
  if (face.glasses) drawGlasses(drawing)
  // Soft cheek tones make the flat shapes look like a face.
  drawing.fill([ellipse(122, 206, 20, 13)], [255, 150, 140], 0.1)
  drawing.fill([ellipse(198, 206, 20, 13)], [255, 150, 140], 0.1)
  return drawing
}

function drawFeatures(drawing: Drawing, { hair, brow, smile, beard }: Face, shade: Colour): void {
  const lid = mixColours(shade, [30, 18, 16], 0.65)
  const lift = 162 - brow
  for (const side of [-1, 1]) {
    const x = 160 + side * 31
    drawing.fill([ellipse(x, 184, 13, 7.4)], [252, 252, 250])
    drawing.fill([ellipse(x, 184, 6.6, 6.6)], [74, 54, 40])
    drawing.fill([ellipse(x, 184, 3.2, 3.2)], [18, 14, 14])
    drawing.fill([ellipse(x + 2.2, 181.5, 1.7, 1.7)], WHITE)
    drawing.fill([strokeOutline(`${x - 14},182 ${x - 6},176.5 ${x + 6},176.5 ${x + 14},182`, 3)], lid)
    const browLine = strokeOutline(`${x - 17},${lift + 5} ${x - 5},${lift} ${x + 8},${lift} ${x + 17},${lift + 5}`, 5)
    drawing.fill([browLine], mixColours(hair, [30, 22, 20], 0.35), 0.92)
  }
  drawing.fill([strokeOutline('163,192 167,212 169,220 160,225 150,222', 3)], shade, 0.7)
  const lips = smoothOutline(
    `136,247 148,244 160,246 172,244 184,247 172,${254 + smile} 160,${257 + smile} 148,${254 + smile}`
  )
  drawing.fill([lips], mixColours(shade, [150, 48, 52], beard ? 0.2 : 0.3))
  const [corner, middle] = [249 + smile * 0.5, 250 + smile * 0.6]
  const mouth = strokeOutline(`135,247 148,${corner} 160,${middle} 172,${corner} 185,247`, 2.4)
  drawing.fill([mouth], mixColours(shade, [70, 20, 24], 0.7))
}

/** Hair behind the shoulders. */
function drawBackHair(drawing: Drawing, { style, hair, width }: Face): void {
  const paint = gradient(hair, mixColours(hair, BLACK, 0.35), 70, 360)
  const left = 160 - width
  const right = 160 + width
  if (style === 'long') {
    const fall = smoothOutline(
      `160,58 ${right + 24},96 ${right + 30},210 ${right + 22},326
      160,340 ${left - 22},326 ${left - 30},210 ${left - 24},96`
    )
    drawing.fill([fall], paint)
  }
  if (style === 'bun') drawing.fill([ellipse(160, 62, 34, 30)], paint)
  if (style === 'curls') {
    for (let turn = 0; turn < 15; turn++) {
      const angle = Math.PI * (0.86 + (turn / 14) * 1.28)
      drawing.fill([ellipse(160 + Math.cos(angle) * (width + 8), 164 + Math.sin(angle) * 94, 27, 27)], paint)
    }
  }
}

function drawFrontHair(drawing: Drawing, { style, hair, width }: Face): void {
  const left = 160 - width
  const right = 160 + width
  // Across the head from ear to ear, and back along the forehead.
  const fringe: Record<Face['style'], string> = {
    short: `${left - 5},172 ${left - 4},118 112,74 160,64 210,74 ${right + 4},118 ${right + 5},172
      ${right - 7},138 196,112 160,108 122,112 ${left + 7},138`,
    long: `${left - 9},214 ${left - 8},116 112,70 160,60 210,70 ${right + 8},116 ${right + 9},214
      ${right - 6},150 194,116 164,92 128,118 ${left + 6},152`,
    bun: `${left - 4},176 ${left - 3},118 112,76 160,66 210,76 ${right + 3},118 ${right + 4},176
      ${right - 5},130 198,104 160,96 122,104 ${left + 5},130`,
    curls: `${left - 4},168 ${left - 10},118 110,72 160,58 210,72 ${right + 10},118 ${right + 4},168
      ${right - 9},132 190,114 160,118 130,112 ${left + 9},132`,
    side: `${left - 5},182 ${left - 6},116 108,70 166,58 216,76 ${right + 5},122 ${right + 4},168
      ${right - 6},136 206,118 176,90 128,124 ${left + 5},148`
  }
  drawing.fill([smoothOutline(fringe[style])], gradient(mixColours(hair, WHITE, 0.09), hair, 66, 170))
}

function drawBeard(drawing: Drawing, { hair, width }: Face): void {
  const outline = smoothOutline(
    `${160 - width + 3},200 ${160 - width * 0.62},236 136,238 160,234 184,238 ${160 + width * 0.62},236
    ${160 + width - 3},200 ${160 + width * 0.9},236 ${160 + width * 0.55},276
    160,296 ${160 - width * 0.55},276 ${160 - width * 0.9},236`
  )
  drawing.fill([outline], hair, 0.82)
}

function drawGlasses(drawing: Drawing): void {
  for (const side of [-1, 1]) {
    const x = 160 + side * 31
    drawing.fill([box(x - 23, 168, 46, 33, 13), box(x - 20, 171, 40, 27, 10)], FRAME)
    drawing.fill([strokeOutline(`${160 + side * 53},180 ${160 + side * 80},184`, 3)], FRAME)
  }
  drawing.fill([strokeOutline('152,180 160,177 168,180', 3)], FRAME)
}
