/** The document as a letter: letterhead, wording, field values, and signatures so far. */
import { fullName } from '../../shared/model/index.ts'
import { dayInWords, momentInWords } from '../dates.ts'
import { hasSigned, isTurn } from '../life.ts'
import { readData } from '../resources.ts'
import type { Account, DocumentRecord, SignerRecord } from '../state.ts'
import { control, isFillable, type Mistake, shownValue } from './controls.ts'
import { html, type Markup } from './html.ts'

/** A practice document's text. */
interface Wording {
  /** A pattern for document names; the last wording is a plain letter that matches any name. */
  words: string
  opening: string
  sections: { heading: string; paragraphs: string[] }[]
  declaration: string
  /** Label of a file the signer may add; missing if none is asked for. */
  file?: string
}

let wordings: Wording[] | undefined

/** Returns a document's wording by its name: a few realistic sections for each common kind. */
export function wordingOf(name: string): Wording {
  wordings ??= readData('wording.json') as Wording[]
  return wordings.find(({ words }) => new RegExp(words, 'i').test(name)) as Wording
}

/**
 * Returns the letter. With `form`, its open fields are controls of the surrounding form; otherwise they are plain
 * text.
 */
export function documentLetter(document: DocumentRecord, account: Account, form?: { mistakes: Mistake[] }): Markup {
  const wording = wordingOf(document.name)
  const fillable = form ? document.fields.filter((field) => isFillable(field, document)) : []
  const filledIn = document.fields.filter(
    (field) => !fillable.includes(field) && (field.value || field.type === 'CheckBox')
  )
  return html`<article class="paper" data-testid="document">
<header class="letterhead"><div><b>${account.name}</b>${account.address}</div><div>${dayInWords(document.createdAt, account.gmt)}${document.matterNumber && html`<br>Matter ${document.matterNumber}`}<br>To be signed by ${dayInWords(document.dueAt, account.gmt)}</div></header>
<h1>${document.name}</h1>
<p>${greeting(document)}</p>
<p>${wording.opening}</p>
<div class="numbered">
${wording.sections.map((section) => html`<section class="part"><h2>${section.heading}</h2>${section.paragraphs.map((text) => html`<p>${text}</p>`)}</section>`)}
${filledIn.length > 0 && html`<section class="part"><h2>${fillable.length > 0 ? 'What we have already' : 'Details'}</h2><dl class="facts">${filledIn.map((field) => html`<dt>${field.label}</dt><dd>${shownValue(field)}</dd>`)}</dl></section>`}
${fillable.length > 0 && html`<section class="part"><h2>Please fill in</h2>${fillable.map((field) => control(document, field, form?.mistakes ?? []))}${wording.file && fileField(wording.file)}</section>`}
<section class="part"><h2>Declaration</h2><p>${wording.declaration}</p></section>
</div>
<section><h2>Signatures</h2><div class="signatures">${document.signers.map((signer) => signatureOf(document, signer, account))}</div></section>
</article>`
}

function greeting(document: DocumentRecord): string {
  const names = document.signers.filter((signer) => !signer.optional).map((signer) => signer.FirstName)
  const last = names.pop() ?? 'signer'
  return `Dear ${names.length > 0 ? `${names.join(', ')} and ${last}` : last},`
}

function fileField(label: string): Markup {
  return html`<div class="field"><label for="file">${label} <span class="optional">(optional)</span></label><input type="file" id="file" name="file" data-testid="file"><p class="help">A picture or PDF of up to 20 MB.</p></div>`
}

function signatureOf(document: DocumentRecord, signer: SignerRecord, account: Account): Markup {
  const gmt = account.gmt
  const name = html`<small><b>${fullName(signer)}</b>${signer.SignerType && html`, ${signer.SignerType}`}</small>`
  if (!hasSigned(signer)) {
    const waiting =
      signer.status === 'Declined' ? 'declined' : isTurn(document, signer) ? 'not signed yet' : 'signs later'
    return html`<div><div class="over"><span class="none">${waiting}</span></div>${name}</div>`
  }
  const { signature, signedAt = 0 } = signer
  const mark =
    signature?.kind === 'drawn'
      ? html`<img alt="Signature of ${fullName(signer)}" src="${signature.image}">`
      : html`<span class="hand">${signature?.text ?? fullName(signer)}</span>`
  return html`<div><div class="over">${mark}</div>${name}<small>${momentInWords(signedAt, gmt)}</small></div>`
}
