/** Draws a made-up person's identity card, front and back. Every card is marked as a specimen. */
import { fullName } from '../../shared/model/index.ts'
import { repeatableRandom } from '../sources.ts'
import type { Person } from '../state.ts'
import { box, type Colour, Drawing, ellipse, gradient, mixColours, type Point, strokeOutline } from './drawing.ts'
import type { Findings } from './findings.ts'
import { drawPortrait } from './portrait.ts'

const CARD = { width: 640, height: 404 }

const INK: Colour = [28, 40, 48]
const QUIET: Colour = [92, 106, 114]

function tintOf({ country, docClass }: Findings): Colour {
  if (docClass === 'Passport') return country === 'NZL' ? [52, 58, 84] : [40, 62, 104]
  return country === 'NZL' ? [22, 102, 108] : [130, 82, 38]
}

export function cardFront(person: Person, findings: Findings): Drawing {
  const drawing = background(findings)
  const tint = tintOf(findings)
  drawing.fill([box(0, 0, CARD.width, 62)], gradient(tint, mixColours(tint, [0, 0, 0], 0.25), 0, 62))
  drawing.text(findings.docClass.toUpperCase(), 28, 41, 25, [255, 255, 255], 'bold')
  const issuer = findings.issuer.toUpperCase()
  drawing.text(issuer, CARD.width - 28 - widthOf(issuer, 17), 39, 17, mixColours(tint, [255, 255, 255], 0.8))
  drawing.fill([box(28, 84, 186, 232, 8)], [255, 255, 255])
  drawing.drawScaled(drawPortrait(fullName(person), 'card'), 31, 87, 180)
  const rows: [string, string][] = [
    ['Surname', person.LastName.toUpperCase()],
    ['Given names', [person.FirstName, person.MiddleName].filter(Boolean).join(' ').toUpperCase()],
    ['Date of birth', shortDayInWords(findings.born)],
    ['Number', findings.number],
    ['Expires', shortDayInWords(findings.expires)]
  ]
  for (const [index, [label, value]] of rows.entries()) {
    const top = 98 + index * 46
    drawing.text(label, 240, top, 13, QUIET)
    drawing.text(shortened(value, 24), 240, top + 24, 22, INK, index < 2 ? 'bold' : 'regular')
  }
  drawing.text(shortened(findings.address, 62), 28, 366, 17, INK)
  const name = fullName(person)
  const size = Math.min(24, (24 * 168) / widthOf(name, 24))
  drawing.text(name, 444, 306, size, [26, 48, 104], 'regular', 0.75)
  watermark(drawing)
  return drawing
}

export function cardBack(person: Person, findings: Findings): Drawing {
  const drawing = background(findings)
  drawing.fill([box(0, 34, CARD.width, 66)], [34, 36, 40])
  drawing.text('If found, please hand in at any office. This card was made for practice', 28, 136, 15, QUIET)
  drawing.text('and identifies nobody.', 28, 156, 15, QUIET)
  bars(drawing, findings.number + fullName(person))
  drawing.text(
    `${findings.country}  ${findings.number}  ${findings.born.replaceAll('-', '')}`,
    28,
    344,
    20,
    INK,
    'bold'
  )
  drawing.text(`${person.LastName}, ${person.FirstName}`.toUpperCase().slice(0, 44), 28, 372, 17, INK)
  watermark(drawing)
  return drawing
}

function background(findings: Findings): Drawing {
  const drawing = new Drawing(CARD.width, CARD.height)
  const tint = tintOf(findings)
  const pale = mixColours(tint, [255, 255, 255], 0.9)
  drawing.fill(
    [box(0, 0, CARD.width, CARD.height)],
    gradient(pale, mixColours(tint, [255, 255, 255], 0.72), 60, CARD.height)
  )
  for (let wave = 0; wave < 16; wave++) {
    const points = Array.from({ length: 41 }, (_none, index): Point => {
      const x = index * 16
      return [x, 96 + wave * 19 + Math.sin(x / 74 + wave / 2.2) * 16]
    })
    drawing.fill([strokeOutline(points, 1.1)], tint, 0.2)
  }
  drawing.fill([ellipse(556, 196, 58, 58), ellipse(556, 196, 49, 49)], tint, 0.16)
  drawing.fill([ellipse(556, 196, 40, 40), ellipse(556, 196, 24, 24)], tint, 0.13)
  return drawing
}

function watermark(drawing: Drawing): void {
  drawing.fill([box(444, 326, 168, 34, 6)], [255, 255, 255], 0.82)
  drawing.text('SPECIMEN', 464, 351, 24, [176, 44, 44], 'bold')
}

function bars(drawing: Drawing, text: string): void {
  const chance = repeatableRandom(text)
  drawing.fill([box(28, 186, 390, 118)], [255, 255, 255])
  for (let x = 42; x < 402; ) {
    const width = 2 + Math.floor(chance() * 3) * 2
    drawing.fill([box(x, 196, width, 98)], INK)
    x += width + 2 + Math.floor(chance() * 3) * 2
  }
}

function shortDayInWords(day: string): string {
  const date = new Date(`${day}T00:00:00Z`)
  return date.toLocaleDateString('en-NZ', { timeZone: 'UTC', day: '2-digit', month: 'short', year: 'numeric' })
}

function widthOf(text: string, size: number): number {
  return new Drawing(1, 1).text(text, 0, 0, size, INK)
}

function shortened(text: string, length: number): string {
  return text.length > length ? `${text.slice(0, length - 1)}…` : text
}
