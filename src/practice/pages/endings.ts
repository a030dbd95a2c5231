/** Pages without anything to do: signed, waiting for another signer, declined, expired, locked, unknown. */
import { fullName } from '../../shared/model/index.ts'
import { momentInWords } from '../dates.ts'
import { hasSigned, whoseTurn } from '../life.ts'
import type { DocumentRecord, SignerRecord } from '../state.ts'
import { type Notice, notice, type PageSetting } from './frame.ts'
import { html, type Markup } from './html.ts'

/** For unknown keys: never issued, withdrawn, or of a removed document. Reveals nothing more, since anyone may ask. */
export function unknownPage(setting: PageSetting): Response {
  return notice(setting, {
    name: 'unknown',
    title: 'This link is no longer valid',
    shape: 'lock',
    tone: 'stop',
    status: 404,
    text: html`<p>It may have been replaced by a newer one, or the document may have been removed. Please ask the office for a new link.</p>`
  })
}

export function donePage(setting: PageSetting, document: DocumentRecord, signer: SignerRecord): Response {
  const remaining = document.signers.filter((other) => !hasSigned(other) && !other.optional)
  const next = remaining.map(fullName).join(', ')
  return notice(setting, {
    name: 'done',
    title: `Thank you, ${signer.FirstName}`,
    shape: 'tick',
    tone: 'ok',
    document,
    text: html`<p>You have signed “${document.name}”${signer.signedAt && html` on ${momentInWords(signer.signedAt, setting.account.gmt)}`}.</p>
<p>${remaining.length > 0 ? `Still to sign: ${next}.` : 'Everyone has signed and the document is complete.'} You can close this page${signer.faceToFace && ' and give the screen back'}.</p>`
  })
}

const DONE = { shape: 'tick', tone: 'ok' } as const
const STOPPED = { shape: 'cross', tone: 'stop' } as const
const WAITS = { shape: 'clock', tone: 'wait' } as const

/** Returns a page about what prevents signing; undefined if nothing does. */
export function obstaclePage(
  setting: PageSetting,
  document: DocumentRecord,
  signer: SignerRecord,
  status = 200
): Response | undefined {
  const show = (name: string, title: string, looks: Pick<Notice, 'shape' | 'tone'>, text: Markup) =>
    notice(setting, { ...looks, name, title, text, document, status })
  if (hasSigned(signer)) {
    const when = momentInWords(signer.signedAt ?? 0, setting.account.gmt)
    return show(
      'signed',
      'Already signed',
      DONE,
      html`<p>${fullName(signer)} signed “${document.name}” on ${when}.</p><p>There is nothing more to do.</p>`
    )
  }
  if (document.ending === 'Declined') {
    const own = signer.status === 'Declined'
    return show(
      'declined',
      own ? 'You have declined' : 'The document was declined',
      STOPPED,
      html`<p>${own ? 'The office has received your reason.' : 'Another signer declined, so it can no longer be signed.'}</p><p>If this was a mistake, please call the office.</p>`
    )
  }
  if (document.ending === 'Expired') {
    const when = momentInWords(document.dueAt, setting.account.gmt)
    return show(
      'expired',
      'The time to sign has passed',
      WAITS,
      html`<p>“${document.name}” had to be signed by ${when}.</p><p>If the office extends it, this link will work again.</p>`
    )
  }
  if (document.ending)
    return show('complete', 'The document is complete', DONE, html`<p>No more signatures are needed.</p>`)
  const turn = whoseTurn(document)
  if (turn && turn !== signer && !signer.optional) {
    return show(
      'waiting',
      'Not your turn yet',
      WAITS,
      html`<p>This document is signed in order. It’s <b>${fullName(turn)}</b>’s turn now.</p><p>You can sign afterwards with this same link.</p>`
    )
  }
  return undefined
}

export function lockedPage(setting: PageSetting, document: DocumentRecord): Response {
  return notice(setting, {
    name: 'locked',
    title: 'Please ask the office',
    shape: 'lock',
    tone: 'stop',
    document: { ...document, name: setting.account.name },
    text: html`<p>The answers didn’t match, so this link is locked. Ask the office to send a reminder to unlock it.</p>`
  })
}
