/** Draws the face of a made-up person: always the same for a name, and nobody's. */
import { repeatableRandom } from '../sources.ts'
import { box, type Colour, Drawing, ellipse, gradient, mix, type Point, smooth, stroke } from './drawing.ts'

const PORTRAIT = { width: 320, height: 400 }

const SKINS: Colour[] = [
  [245, 214, 190],
  [236, 196, 164],
  [222, 174, 138],
  [198, 145, 106],
  [168, 115, 78],
  [134, 88, 58],
  [104, 67, 46]
]
const HAIRS: Colour[] = [
  [34, 27, 25],
  [58, 40, 30],
  [92, 60, 38],
  [134, 92, 54],
  [184, 142, 88],
  [150, 146, 142],
  [122, 56, 34]
]
const CLOTHES: Colour[] = [
  [31, 78, 95],
  [72, 61, 108],
  [120, 58, 66],
  [54, 92, 68],
  [70, 78, 92],
  [148, 104, 50]
]
const GROUNDS: [Colour, Colour][] = [
  [
    [214, 226, 232],
    [178, 196, 206]
  ],
  [
    [226, 222, 212],
    [196, 190, 178]
  ],
  [
    [210, 222, 214],
    [176, 194, 184]
  ]
]

/** Where the picture was taken: before a camera (lively ground) or for a card (plain and pale). */
export type Occasion = 'camera' | 'card'

export function portrait(name: string, occasion: Occasion): Drawing {
  const chance = repeatableRandom(`face ${name}`)
  const pick = <Item>(items: readonly Item[]): Item => items[Math.floor(chance() * items.length)] as Item
  const face: Face = {
    skin: pick(SKINS),
    hair: pick(HAIRS),
    clothes: pick(CLOTHES),
    ground: pick(GROUNDS),
    style: pick(['short', 'long', 'bun', 'curls', 'side'] as const),
    width: 72 + chance() * 12,
    glasses: chance() < 0.28,
    beard: chance() < 0.22,
    brow: chance() * 5,
    smile: occasion === 'card' ? 2 : 5 + chance() * 6
  }
  if (face.style === 'long' || face.style === 'bun') face.beard = false
  return draw(face, occasion)
}

interface Face {
  skin: Colour
  hair: Colour
  clothes: Colour
  ground: [Colour, Colour]
  style: 'short' | 'long' | 'bun' | 'curls' | 'side'
  width: number
  glasses: boolean
  beard: boolean
  brow: number
  smile: number
}

function draw(face: Face, occasion: Occasion): Drawing {
  const drawing = new Drawing(PORTRAIT.width, PORTRAIT.height)
  const { skin } = face
  const shade = mix(skin, [60, 20, 20], 0.22)
  const [light, dark]: [Colour, Colour] =
    occasion === 'card'
      ? [
          [236, 240, 242],
          [220, 226, 230]
        ]
      : face.ground
  drawing.fill([box(0, 0, 320, 400)], gradient(light, dark, 0, 400))
  behind(drawing, face)
  // The back of the head, so that no ground shows between hair and face.
  drawing.fill([ellipse(160, 152, face.width + 4, 86)], mix(face.hair, [0, 0, 0], 0.2))
  // Shoulders, collar and neck.
  drawing.fill(
    [
      smooth([
        [160, 296],
        [214, 306],
        [274, 330],
        [300, 420],
        [160, 430],
        [20, 420],
        [46, 330],
        [106, 306]
      ])
    ],
    gradient(face.clothes, mix(face.clothes, [0, 0, 0], 0.35), 290, 400)
  )
  drawing.fill(
    [
      smooth([
        [128, 240],
        [192, 240],
        [194, 306],
        [160, 336],
        [126, 306]
      ])
    ],
    gradient(shade, skin, 250, 330)
  )
  // Ears, then the face over them.
  const { width } = face
  for (const side of [-1, 1]) drawing.fill([ellipse(160 + side * (width + 3), 190, 12, 20)], mix(skin, shade, 0.5))
  const jaw: Point[] = [
    [160, 88],
    [160 + width * 0.72, 108],
    [160 + width, 168],
    [160 + width * 0.93, 220],
    [160 + width * 0.55, 268],
    [160, 288],
    [160 - width * 0.55, 268],
    [160 - width * 0.93, 220],
    [160 - width, 168],
    [160 - width * 0.72, 108]
  ]
  drawing.fill([smooth(jaw)], gradient(mix(skin, [255, 255, 255], 0.08), mix(skin, shade, 0.35), 120, 290))
  if (face.beard) beard(drawing, face)
  features(drawing, face, shade)
  hairOver(drawing, face)
  if (face.glasses) glasses(drawing)
  // A soft light from one side makes a face of the flat shapes.
  drawing.fill([ellipse(122, 206, 20, 13)], [255, 150, 140], 0.1)
  drawing.fill([ellipse(198, 206, 20, 13)], [255, 150, 140], 0.1)
  return drawing
}

function features(drawing: Drawing, face: Face, shade: Colour): void {
  const brow = mix(face.hair, [30, 22, 20], 0.35)
  for (const side of [-1, 1]) {
    const x = 160 + side * 31
    drawing.fill([ellipse(x, 184, 13, 7.4)], [252, 252, 250])
    drawing.fill([ellipse(x, 184, 6.6, 6.6)], [74, 54, 40])
    drawing.fill([ellipse(x, 184, 3.2, 3.2)], [18, 14, 14])
    drawing.fill([ellipse(x + 2.2, 181.5, 1.7, 1.7)], [255, 255, 255])
    drawing.fill(
      [
        stroke(
          [
            [x - 14, 182],
            [x - 6, 176.5],
            [x + 6, 176.5],
            [x + 14, 182]
          ],
          3
        )
      ],
      mix(shade, [30, 18, 16], 0.65)
    )
    const lift = 162 - face.brow
    drawing.fill(
      [
        stroke(
          [
            [x - 17, lift + 5],
            [x - 5, lift],
            [x + 8, lift],
            [x + 17, lift + 5]
          ],
          5
        )
      ],
      brow,
      0.92
    )
  }
  drawing.fill(
    [
      stroke(
        [
          [163, 192],
          [167, 212],
          [169, 220],
          [160, 225],
          [150, 222]
        ],
        3
      )
    ],
    shade,
    0.7
  )
  const { smile } = face
  drawing.fill(
    [
      smooth([
        [136, 247],
        [148, 244],
        [160, 246],
        [172, 244],
        [184, 247],
        [172, 254 + smile],
        [160, 257 + smile],
        [148, 254 + smile]
      ])
    ],
    mix(shade, [150, 48, 52], face.beard ? 0.2 : 0.3)
  )
  drawing.fill(
    [
      stroke(
        [
          [135, 247],
          [148, 249 + smile * 0.5],
          [160, 250 + smile * 0.6],
          [172, 249 + smile * 0.5],
          [185, 247]
        ],
        2.4
      )
    ],
    mix(shade, [70, 20, 24], 0.7)
  )
}

/** Hair that falls behind the shoulders. */
function behind(drawing: Drawing, { style, hair, width }: Face): void {
  const paint = gradient(hair, mix(hair, [0, 0, 0], 0.35), 70, 360)
  if (style === 'long') {
    drawing.fill(
      [
        smooth([
          [160, 58],
          [160 + width + 24, 96],
          [160 + width + 30, 210],
          [160 + width + 22, 326],
          [160, 340],
          [160 - width - 22, 326],
          [160 - width - 30, 210],
          [160 - width - 24, 96]
        ])
      ],
      paint
    )
  }
  if (style === 'bun') drawing.fill([ellipse(160, 62, 34, 30)], paint)
  if (style === 'curls') {
    for (let turn = 0; turn < 15; turn++) {
      const angle = Math.PI * (0.86 + (turn / 14) * 1.28)
      drawing.fill([ellipse(160 + Math.cos(angle) * (width + 8), 164 + Math.sin(angle) * 94, 27, 27)], paint)
    }
  }
}

function hairOver(drawing: Drawing, { style, hair, width }: Face): void {
  const paint = gradient(mix(hair, [255, 255, 255], 0.09), hair, 66, 170)
  const left = 160 - width
  const right = 160 + width
  const fringe: Record<Face['style'], Point[]> = {
    short: [
      [left - 5, 172],
      [left - 4, 118],
      [112, 74],
      [160, 64],
      [210, 74],
      [right + 4, 118],
      [right + 5, 172],
      [right - 7, 138],
      [196, 112],
      [160, 108],
      [122, 112],
      [left + 7, 138]
    ],
    long: [
      [left - 9, 214],
      [left - 8, 116],
      [112, 70],
      [160, 60],
      [210, 70],
      [right + 8, 116],
      [right + 9, 214],
      [right - 6, 150],
      [194, 116],
      [164, 92],
      [128, 118],
      [left + 6, 152]
    ],
    bun: [
      [left - 4, 176],
      [left - 3, 118],
      [112, 76],
      [160, 66],
      [210, 76],
      [right + 3, 118],
      [right + 4, 176],
      [right - 5, 130],
      [198, 104],
      [160, 96],
      [122, 104],
      [left + 5, 130]
    ],
    curls: [
      [left - 4, 168],
      [left - 10, 118],
      [110, 72],
      [160, 58],
      [210, 72],
      [right + 10, 118],
      [right + 4, 168],
      [right - 9, 132],
      [190, 114],
      [160, 118],
      [130, 112],
      [left + 9, 132]
    ],
    side: [
      [left - 5, 182],
      [left - 6, 116],
      [108, 70],
      [166, 58],
      [216, 76],
      [right + 5, 122],
      [right + 4, 168],
      [right - 6, 136],
      [206, 118],
      [176, 90],
      [128, 124],
      [left + 5, 148]
    ]
  }
  drawing.fill([smooth(fringe[style])], paint)
}

function beard(drawing: Drawing, { hair, width }: Face): void {
  const outline: Point[] = [
    [160 - width + 3, 200],
    [160 - width * 0.62, 236],
    [136, 238],
    [160, 234],
    [184, 238],
    [160 + width * 0.62, 236],
    [160 + width - 3, 200],
    [160 + width * 0.9, 236],
    [160 + width * 0.55, 276],
    [160, 296],
    [160 - width * 0.55, 276],
    [160 - width * 0.9, 236]
  ]
  drawing.fill([smooth(outline)], hair, 0.82)
}

function glasses(drawing: Drawing): void {
  for (const side of [-1, 1]) {
    const x = 160 + side * 31
    drawing.fill([box(x - 23, 168, 46, 33, 13), box(x - 20, 171, 40, 27, 10)], [38, 42, 48])
    drawing.fill(
      [
        stroke(
          [
            [160 + side * 53, 180],
            [160 + side * 80, 184]
          ],
          3
        )
      ],
      [38, 42, 48]
    )
  }
  drawing.fill(
    [
      stroke(
        [
          [152, 180],
          [160, 177],
          [168, 180]
        ],
        3
      )
    ],
    [38, 42, 48]
  )
}
