/**
 * A receipt as a page to be rendered: A4, without scripts, and with nothing loaded from elsewhere. Names are shown as
 * text, each in its own direction. What doesn't fit on one sheet continues on the next.
 */
import { encode } from 'uqr'
import type { ReceiptCode } from '../../../shared/contract/index.ts'
import type { IdentityNumber } from '../counter/identity-numbers.ts'
import type { ReceiptContent, ReceiptDocument, ReceiptPerson } from './content.ts'
import {
  escaped,
  identityWords,
  noticesOf,
  type Reader,
  readerOf,
  readingWords,
  resultWords,
  translationNote,
  zoneOf
} from './receipt-words.ts'

/** The fonts, as served by whatever renders the page. */
export const FONTS = { regular: 'regular.ttf', semibold: 'semibold.ttf' } as const

type Code = Omit<ReceiptCode, 'number' | 'sha256'>

/**
 * Makes the QR code of the number and the hash, as an SVG path of its dark parts. In capitals, which make a smaller
 * code.
 */
export function qrCodeOf(number: string, sha256: string): Code {
  const { size, data } = encode(`${number} ${sha256}`.toUpperCase(), { ecc: 'M', border: 0 })
  const path: string[] = []
  for (const [y, row] of data.entries())
    for (const [x, isDark] of row.entries()) if (isDark) path.push(`M${x} ${y}h1v1h-1z`)
  return { size, path: path.join('') }
}

/** As in the receipt's own sentences, for those who have Countersign. */
const HOW_STAFF_CHECK =
  'The PDF file carries the office’s signature. In Countersign, open Counter, then More actions, then Check a file. A printout can be compared with the office’s copy by its number and its hash.'

interface PageExtras {
  sha256: string
  issuedAt: string
  logo: string | undefined
  code: Code
  reader: Reader
  /** What is kept of each person's identity document; only on the office's own copy. */
  kept: readonly (IdentityNumber | undefined)[]
}

/** @returns HTML. */
export function receiptPage(
  content: ReceiptContent,
  { sha256, issuedAt, logo, code, reader, kept }: PageExtras
): string {
  const { number, office, copy, people, staff, began, ended } = content
  const { say, day, time } = reader
  const whose = copy === 'file' ? 'For our file' : say('person', { name: people[0]?.name || plain(say('unnamed')) })
  // A person's own begins when the screen was handed to them, which may be long after the session began.
  const from = (copy === 'person' && people[0]?.identified?.at) || began
  const hours = ended ? `${time(from, began)} to ${time(ended, began)}` : time(from, began)
  const picture = logo ? `<img src="${escaped(logo)}" alt="">` : ''
  const note = translationNote(reader)
  return `<!doctype html>
<html lang="${reader.language === 'en' ? 'en-GB' : reader.language}" dir="${reader.direction}">
<head><meta charset="utf-8"><title>${escaped(number)}</title><style>${style(number)}</style></head>
<body>
<header>${picture}<p class="office" dir="auto">${escaped(office)}</p><p class="number">${say('number')}<b>${escaped(number)}</b></p></header>
<h1>${say('title')}</h1>
<p class="whose">${whose}</p>
${note ? `<p class="quiet">${note}</p>` : ''}
${noticesOf(content, reader).map(notice).join('')}
<dl class="facts">
${fact(say('date'), day(began))}${fact(say('time'), `${hours}, ${zoneOf(content)}`)}${fact(say('staff'), staff.filter(Boolean).join(', ') || '–')}${fact(say('issued'), `${day(issuedAt)}, ${time(issuedAt, issuedAt)}`)}
</dl>
${people.map((one, at) => person(one, content, reader, kept[at])).join('')}
<section class="proof">
<h2>${say('proof')}</h2>
<div class="beside">
<svg viewBox="0 0 ${code.size} ${code.size}" shape-rendering="crispEdges"><path d="${code.path}"/></svg>
<div><p>${copy === 'file' ? HOW_STAFF_CHECK : say('howToCheck')}</p>
<dl>${fact(say('hash'), grouped(sha256), 'hash')}${fact(say('first'), trailPosition(content.trail.first), 'hash')}${fact(say('last'), trailPosition(content.trail.last), 'hash')}${fact(say('key'), content.key, 'hash')}</dl></div>
</div>
</section>
</body>
</html>
`
}

interface PrintedKey {
  fingerprint: string
  /** '' if there is no account. */
  office: string
  /** With its offset. */
  printedAt: string
  zone: string
  logo: string | undefined
}

/**
 * Builds a page to be kept elsewhere: with it someone can tell years later whether a file was signed on this computer.
 * @returns HTML.
 */
export function keyPage({ fingerprint, office, printedAt, zone, logo }: PrintedKey): string {
  const { day, time } = readerOf('en')
  const picture = logo ? `<img src="${escaped(logo)}" alt="">` : ''
  const printed = `${day(printedAt)}, ${time(printedAt, printedAt)}, ${zoneOf({ zone, began: printedAt })}`
  return `<!doctype html>
<html lang="en-GB">
<head><meta charset="utf-8"><title>Signing key</title><style>${style('')}</style></head>
<body>
<header>${picture}<p class="office" dir="auto">${escaped(office)}</p></header>
<h1>Signing key</h1>
<p class="whose">Audit trails exported from this computer, and its receipts, are signed with the key that has this fingerprint.</p>
<p class="fingerprint">${escaped(fingerprint)}</p>
<dl class="facts">
${fact('Office', office || '–')}${fact('Printed', printed)}${fact('This computer’s receipt numbers end in', fingerprint.replace(/[^0-9A-F]/g, '').slice(0, 4))}
</dl>
<section class="proof">
<p>Keep this page somewhere else than at this computer. “Check a file…” in Countersign says which key a file was signed with. If it’s this one and the file wasn’t changed, the file is from this computer.</p>
</section>
</body>
</html>
`
}

function person(one: ReceiptPerson, content: ReceiptContent, reader: Reader, kept?: IdentityNumber): string {
  const { began, copy } = content
  const { say } = reader
  const { lines: seen, by } = identityWords(one, began, reader)
  const lines = kept ? [...seen, readingWords(kept)] : seen
  const head = copy === 'file' ? `<h2 dir="auto">${one.name ? escaped(one.name) : say('unnamed')}</h2>` : ''
  const contact = one.contact ? `<p class="quiet" dir="auto">${escaped(one.contact)}</p>` : ''
  return `<section>${head}${contact}
<h3>${say('identity')}</h3>
<ul>${lines.map((line) => `<li dir="auto">${line}</li>`).join('')}</ul>
<p class="quiet">${by}</p>
<table><thead><tr><th>${say('document')}</th><th>${say('shown')}</th><th>${say('result')}</th></tr></thead>
<tbody>${one.documents.map((document) => row(document, content, reader)).join('')}</tbody></table>
</section>`
}

function row(document: ReceiptDocument, { began, practice }: ReceiptContent, reader: Reader): string {
  const { say } = reader
  const { word, meaning, tone } = resultWords(document, began, reader)
  const shown = document.shown.map(({ at, origin: address }) => {
    const origin = practice ? plain(say('practiceService')) : address.replace(/^https?:\/\//, '')
    return say('shownFrom', { time: reader.time(at, began), origin })
  })
  const files = (document.files ?? []).map((name) => `<li dir="auto">${escaped(name)}</li>`).join('')
  const givenFiles = files && `<p class="quiet">${say('files')}</p><ul class="files">${files}</ul>`
  return `<tr><td><p dir="auto">${document.name ? escaped(document.name) : say('unnamedDocument')}</p><p class="quiet">${escaped(document.reference)}</p></td>
<td>${shown.join('<br>') || say('neverShown')}${givenFiles}</td>
<td><p class="${tone}"><i class="mark"></i>${word}</p><p class="quiet">${meaning}</p></td></tr>`
}

/** Undoes the escaping of a sentence of ours that goes into another one, which escapes it again. */
const plain = (markup: string) => markup.replace(/&#39;/g, "'").replace(/&amp;/g, '&')
const fact = (term: string, value: string, kind = '') =>
  `<div><dt>${term}</dt><dd class="${kind}" dir="auto">${escaped(value)}</dd></div>`
const notice = (markup: string) => `<p class="notice">${markup}</p>`
const trailPosition = ({ seq, hash }: { seq: number; hash: string }) => `${seq} · ${grouped(hash)}`
/** In groups that are easier to read. */
const grouped = (hash: string) => hash.replace(/.{8}(?=.)/g, '$& ')

/** @param number one that we made: letters, digits and hyphens. */
function style(number: string): string {
  return `
@font-face { font-family: "Public Sans"; font-weight: 400; src: url("${FONTS.regular}"); }
@font-face { font-family: "Public Sans"; font-weight: 600; src: url("${FONTS.semibold}"); }
@page { size: A4; margin: 14mm 18mm 17mm;
  @bottom-left { content: "${number.replace(/[^\w-]/g, '')}"; font: 8pt "Public Sans"; color: #56616a; }
  @bottom-right { content: counter(page) " / " counter(pages); font: 8pt "Public Sans"; color: #56616a; } }
* { margin: 0; padding: 0; box-sizing: border-box; }
body { font: 10pt/1.45 "Public Sans", "Noto Sans", system-ui, sans-serif; color: #182026; overflow-wrap: anywhere; font-variant-numeric: tabular-nums; }
header { display: flex; align-items: center; gap: 5mm; padding-bottom: 5mm; border-bottom: 0.6mm solid #0e5a5f; }
header img { max-width: 48mm; max-height: 18mm; object-fit: contain; }
.office { flex: 1; min-width: 0; font-size: 13pt; font-weight: 600; }
.number { flex: none; max-width: 80mm; text-align: end; font-size: 8pt; color: #56616a; }
.number b { display: block; font-size: 11pt; font-weight: 600; color: #182026; }
h1 { margin-top: 7mm; font-size: 19pt; line-height: 1.2; font-weight: 600; letter-spacing: -0.01em; }
.whose { margin-top: 1mm; font-size: 12pt; }
.notice { margin-top: 4mm; padding: 2.5mm 4mm; border: 0.3mm solid #b98a2c; border-inline-start-width: 1.2mm; background: #fdf6e6; }
.facts { display: grid; grid-template-columns: 1fr 1fr; gap: 3mm 8mm; margin-top: 5mm; }
dt { font-size: 8pt; color: #56616a; }
section { margin-top: 6mm; }
h2 { font-size: 13pt; line-height: 1.3; font-weight: 600; break-after: avoid; }
h3, th { font-size: 8pt; font-weight: 400; color: #56616a; text-align: start; }
h3 { margin-top: 3mm; break-after: avoid; }
ul { list-style: none; }
.quiet { font-size: 8pt; color: #56616a; }
table { width: 100%; margin-top: 4mm; border-collapse: collapse; table-layout: fixed; }
th:nth-child(1) { width: 40%; } th:nth-child(2) { width: 25%; }
th, td { padding-block: 2mm; padding-inline-end: 4mm; border-bottom: 0.2mm solid #cfd6da; text-align: start; vertical-align: top; }
tr { break-inside: avoid; }
.ok { font-weight: 600; color: #1b6e3c; } .danger { font-weight: 600; color: #a3262a; }
.mark { display: inline-block; width: 2.4mm; height: 2.4mm; margin-inline-end: 1.6mm; border: 0.5mm solid currentColor; border-radius: 50%; }
.ok .mark { background: currentColor; } .danger .mark { border-radius: 0; background: currentColor; }
.open { font-weight: 600; }
.fingerprint { margin-top: 6mm; padding: 5mm; border: 0.3mm solid #cfd6da; font: 600 14pt/1.7 monospace; }
.proof { padding-top: 4mm; border-top: 0.2mm solid #cfd6da; break-inside: avoid; }
.proof p { margin-top: 1mm; }
.beside { display: grid; grid-template-columns: 34mm 1fr; gap: 7mm; margin-top: 3mm; align-items: start; }
svg { width: 34mm; height: 34mm; fill: #000; }
.proof dl { display: grid; gap: 1mm; margin-top: 2mm; }
[dir="rtl"] [dir="auto"] { text-align: right; }
.hash { direction: ltr; font: 6.8pt/1.5 ui-monospace, "Cascadia Mono", Menlo, "DejaVu Sans Mono", monospace; }
`
}
