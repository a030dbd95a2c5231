/** The mailbox of all signers: every waiting invitation, so that one user can play each signer. */
import type { Hono } from 'hono'
import { fullName } from '../../shared/model/index.ts'
import { sameText } from '../authentication.ts'
import { momentInWords } from '../dates.ts'
import type { Env, PracticeDeps } from '../deps.ts'
import { hasSigned, isTurn } from '../life.ts'
import type { DocumentRecord, SignerRecord } from '../state.ts'
import { unknownPage } from './endings.ts'
import { page } from './frame.ts'
import { html, type Markup } from './html.ts'

/** Maximum number shown. */
const MAX_LETTERS = 100

export function addMailbox(app: Hono<Env>, deps: PracticeDeps, key: string): void {
  app.get('/mailbox/:key', (call) => {
    const setting = { account: deps.state.account, base: call.get('address').base }
    if (!sameText(call.req.param('key'), key)) return unknownPage(setting)
    const invitations = invitationsIn(Object.values(deps.state.documents), deps.clock.now())
    const rows = invitations
      .slice(0, MAX_LETTERS)
      .map(
        ({ document, signer }) =>
          html`<li><a href="${setting.base}/sign/${signer.key}">${document.name}</a><small>${momentInWords(document.createdAt, deps.state.account.gmt)}</small><span>To ${fullName(signer)}, ${signer.Email}</span></li>`
      )
    return page(setting, { name: 'mailbox', title: 'Practice mailbox', content: content(rows, invitations.length) })
  })
}

interface Invitation {
  document: DocumentRecord
  signer: SignerRecord
}

/** Waiting invitations, newest first. Embedded and face-to-face signers get no e-mail. */
function invitationsIn(documents: readonly DocumentRecord[], now: number): Invitation[] {
  return documents
    .filter(({ embedded, ending, dueAt }) => !embedded && !ending && dueAt > now)
    .sort((one, other) => other.createdAt - one.createdAt)
    .flatMap((document) =>
      document.signers
        .filter((signer) => !hasSigned(signer) && !signer.faceToFace && isTurn(document, signer))
        .map((signer) => ({ document, signer }))
    )
}

function content(rows: readonly Markup[], count: number): Markup {
  if (count === 0) {
    return html`<main id="content"><h1>Practice mailbox</h1><p>No invitations are waiting. Send a package in Countersign, then reload this page.</p></main>`
  }
  return html`<main id="content"><h1>Practice mailbox</h1>
<p>Open an invitation to sign as that person would. Hana Weka and Tama Tui sign by themselves within two minutes.</p>
<ul class="card mailbox">${rows}</ul>${count > rows.length && html`<p>Showing the newest ${rows.length} of ${count}.</p>`}</main>`
}
