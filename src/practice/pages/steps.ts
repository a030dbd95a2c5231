/** The pages of signing: identity, video, the document, review, and declining. */
import { fullName } from '../../shared/model/index.ts'
import { asksIdentity, log } from '../life.ts'
import type { Account, DocumentRecord, SignerRecord } from '../state.ts'
import { cameraPart, hasPicture } from './camera.ts'
import { type Mistake, mistakeSummary } from './controls.ts'
import { emblem, type Page } from './frame.ts'
import { html, type Markup } from './html.ts'
import { documentLetter } from './paper.ts'
import { asText } from './posted-form.ts'

export interface Signing {
  document: DocumentRecord
  signer: SignerRecord
  /** This signer's path, without a trailing slash. */
  path: string
  account: Account
  /** The ReturnUrl's origin, where a form's answer may redirect the browser. */
  redirectOrigin: string | undefined
}

type StepName = 'Identity' | 'Read and fill in' | 'Sign' | 'Check and sign'

function steps(signer: SignerRecord, now: StepName): NonNullable<Page['steps']> {
  const names: StepName[] = asksIdentity(signer) ? ['Identity'] : []
  names.push('Read and fill in', signer.review ? 'Check and sign' : 'Sign')
  const at = names.indexOf(now)
  return { names, now: at < 0 ? names.length - 1 : at }
}

/** Shows questions that only the signer can answer (AuthInfo, reference section 2.7). */
export function identityPage(
  { document, signer, path }: Signing,
  triesLeft: number,
  wrong: 'wrong answer' | 'not tried'
): Page {
  const types = { text: 'text', email: 'email', date: 'date' }
  const questions = signer.idData.map(
    (question, index) => html`<div class="field"><label for="answer-${index}">${question.Label}</label>
<input id="answer-${index}" name="answer-${index}" type="${types[question.DataType]}" required autocomplete="off" data-testid="answer-${index}"></div>`
  )
  const left = triesLeft === 1 ? 'One try left' : `${triesLeft} tries left`
  const content = html`<main id="content"><form class="card" method="post" action="${path}/identity" data-testid="identity-form">
${emblem('person')}<h1>First, is it you?</h1>
<p>Please answer as ${document.signers.length > 1 ? `${signer.FirstName} told` : 'you told'} the office. The document opens when ${signer.idData.length > 1 ? 'the answers match' : 'the answer matches'}.</p>
${wrong === 'wrong answer' && html`<div class="summary" role="alert" tabindex="-1" data-focus data-testid="mistakes"><h2>That doesn’t match</h2><p>${left}. If you are unsure, ask the office.</p></div>`}
${questions}
<div class="field"><b>A picture of you <span class="optional">(optional)</span></b><p class="help">It helps the office confirm later that it was you. This is practice, so the picture isn’t kept.</p>${cameraPart(html`<p>You can continue without a picture, or ask staff to help with the camera.</p>`, 'optional')}</div>
<div class="actions"><span></span><button class="primary" data-testid="identity-continue">Continue</button></div></form></main>`
  return {
    name: 'identity',
    title: 'Your identity',
    document,
    steps: steps(signer, 'Identity'),
    content,
    usesCamera: true
  }
}

/** Shows the document to read and fill in; signed on the same page, or on the next one if a review is required. */
export function documentPage(signing: Signing, mistakes: Mistake[] = []): Page {
  const { document, signer, path, account, redirectOrigin } = signing
  const end = signer.review
    ? html`<div class="actions"><a class="button plain" href="${path}/decline" data-testid="decline-open">Decline</a><button class="primary" data-testid="review-continue">Continue to review</button></div>`
    : signingCard(signer, path, mistakes)
  const content = html`<main id="content"><form method="post" enctype="multipart/form-data" action="${path}/document"${!signer.review && html` data-signature`}>
${mistakeSummary(mistakes)}${documentLetter(document, account, { mistakes })}${end}</form></main>`
  return {
    name: 'document',
    title: document.name,
    document,
    steps: steps(signer, 'Read and fill in'),
    content,
    redirectOrigin
  }
}

/** Shows the filled document once more, with the signature below. */
export function reviewPage(signing: Signing, mistakes: Mistake[] = []): Page {
  const { document, signer, path, account, redirectOrigin } = signing
  const content = html`<main id="content"><form method="post" action="${path}/review" data-signature>
${mistakeSummary(mistakes)}<p class="note">Please check that everything is right. <a href="${path}/document" data-testid="review-back">Change something</a></p>
${documentLetter(document, account)}${signingCard(signer, path, mistakes)}</form></main>`
  return {
    name: 'review',
    title: `Check: ${document.name}`,
    document,
    steps: steps(signer, 'Check and sign'),
    content,
    redirectOrigin
  }
}

function signingCard(signer: SignerRecord, path: string, mistakes: Mistake[]): Markup {
  const name = fullName(signer)
  const wrong = (id: string) => {
    const mistake = mistakes.find((one) => one.id === id)
    return mistake && html`<p class="wrong" id="${id}-wrong">${mistake.message}</p>`
  }
  return html`<section class="card" aria-labelledby="signature-heading"><h2 id="signature-heading">Your signature</h2>
<div class="ways" data-ways hidden role="radiogroup" aria-label="How you sign"><label><input type="radio" name="signature-kind" value="typed" checked data-testid="signature-typed">Type</label><label><input type="radio" name="signature-kind" value="drawn" data-testid="signature-drawn">Draw</label></div>
<div data-typed><div class="field"><label for="signature-name">Type your full name</label><input type="text" id="signature-name" name="signature-name" maxlength="200" autocomplete="off" data-testid="signature-name"></div>
<div class="preview" data-preview hidden aria-hidden="true">&nbsp;</div></div>
<div data-drawn hidden><div class="pad"><canvas aria-label="Draw your signature here with a finger, a pen or the mouse. You can type it instead." role="img" data-testid="signature-pad"></canvas><span>Sign here</span><button type="button" class="plain small" data-clear data-testid="signature-clear">Clear</button></div></div>
<input type="hidden" name="signature-drawing">${wrong('signature-name')}
<label class="choice field"><input type="checkbox" name="agree" id="agree" value="true" required data-testid="agree"><span>I am ${name}. I have read the document, and I agree to sign it electronically.</span></label>${wrong('agree')}
<div class="actions"><a class="button plain" href="${path}/decline" data-testid="decline-open">Decline</a><button class="primary" data-testid="sign">Sign the document</button></div></section>`
}

/** Asks for a reason for declining, which the office will read. */
export function declinePage({ document, path, redirectOrigin }: Signing, missing: 'no reason' | 'not tried'): Page {
  const wrong = missing === 'no reason'
  const content = html`<main id="content"><form class="card" method="post" action="${path}/decline">${emblem('question')}<h1>Decline to sign?</h1>
<p>“${document.name}” can’t be signed by anyone after that. The office will see your reason.</p>
<div class="field"><label for="reason">Your reason</label><textarea id="reason" name="reason" rows="3" maxlength="1000" required data-testid="decline-reason"${wrong && html` aria-invalid="true" aria-describedby="reason-wrong"`}></textarea>${wrong && html`<p class="wrong" id="reason-wrong" role="alert">Please give a reason.</p>`}</div>
<div class="actions"><a class="button plain" href="${path}/document">Back to the document</a><button class="danger" data-testid="decline">Decline to sign</button></div></form></main>`
  return { name: 'decline', title: `Decline: ${document.name}`, document, content, redirectOrigin }
}

/**
 * Video confirmation, simplified: a picture from the camera, and a confirmation. If the office asks for the deepfake
 * detector, the picture is mandatory; otherwise the signer may continue without one.
 */
type VideoMistake = 'not confirmed' | 'no picture'

const MISTAKES: Record<VideoMistake, { id: string; message: string }> = {
  'not confirmed': { id: 'confirm', message: 'Please tick the box to confirm.' },
  'no picture': { id: 'camera', message: 'Please take the picture first.' }
}

/** Returns whether the video is still to come: neither recorded nor skipped. */
export function asksVideo(signer: SignerRecord): boolean {
  return signer.video && signer.videoAt === undefined && !signer.videoOptOut
}

function maySkipPicture(signer: SignerRecord): boolean {
  return !signer.deepfake
}

export function videoPage({ document, signer, path }: Signing, mistake?: VideoMistake): Page {
  const name = fullName(signer)
  const wrong = (which: VideoMistake) =>
    mistake === which &&
    html`<p class="wrong" id="${MISTAKES[which].id}-wrong" role="alert">${MISTAKES[which].message}</p>`
  const skipPicture = html`<p>You can continue without a picture, or ask staff to help with the camera.</p><div class="actions"><button class="plain" form="without" data-testid="video-without">Continue without a picture</button></div>`
  const askStaff = html`<p>The office needs the picture for this document. Please ask staff to help with the camera, or to end here.</p>`
  const content = html`<main id="content"><form class="card" method="post" action="${path}/video" data-testid="video-form">
${emblem('person')}<h1>Video confirmation</h1>
<p>Please look into the camera for a picture. It shows later who signed.${signer.deepfake && ' A detector checks that the picture is real.'}</p>
${cameraPart(maySkipPicture(signer) ? skipPicture : askStaff, 'required')}${wrong('no picture')}
<p class="note">This is practice, so the picture isn’t kept.</p>
<label class="choice field"><input type="checkbox" name="confirm" id="confirm" value="true" required data-testid="video-confirm"${mistake === 'not confirmed' && html` aria-invalid="true" aria-describedby="confirm-wrong"`}><span>I am ${name}, and I sign of my own will.</span></label>
${wrong('not confirmed')}
<div class="actions"><span></span><button class="primary" data-testid="video-continue">Confirm</button></div></form>
${maySkipPicture(signer) && html`<form id="without" method="post" action="${path}/video"><input type="hidden" name="without" value="true"></form>`}</main>`
  return {
    name: 'video',
    title: 'Video confirmation',
    document,
    steps: steps(signer, 'Identity'),
    content,
    usesCamera: true
  }
}

/** Processes a posted video form. Returns the mistake; if there is none, the step is complete. */
export function processVideo(
  document: DocumentRecord,
  signer: SignerRecord,
  form: Record<string, unknown>,
  now: number
): VideoMistake | undefined {
  if (asText(form.without) === 'true' && maySkipPicture(signer)) {
    signer.videoOptOut = true
    log(document, now, signer, 'Went on without a video')
    return undefined
  }
  if (!hasPicture(form)) return 'no picture'
  if (asText(form.confirm) !== 'true') return 'not confirmed'
  signer.videoAt = now
  log(document, now, signer, 'Confirmed by video (practice)')
  return undefined
}
