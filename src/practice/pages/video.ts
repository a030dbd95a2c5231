/**
 * Video confirmation, as far as a practice goes: the signer's face before the camera, and their word. Where the office asks
 * for the deepfake detector it wants the picture in any case; elsewhere the signer may go on without one.
 */
import { fullName } from '../../shared/model/index.ts'
import { log } from '../life.ts'
import type { DocumentRecord, SignerRecord } from '../state.ts'
import { cameraPart, hasPicture } from './camera.ts'
import { emblem, type Page } from './frame.ts'
import { html } from './html.ts'
import { text } from './posted-form.ts'
import { type Signing, steps } from './steps.ts'

export type VideoMistake = 'not confirmed' | 'no picture'

const MISTAKES: Record<VideoMistake, { id: string; message: string }> = {
  'not confirmed': { id: 'confirm', message: 'Please tick the box to confirm.' },
  'no picture': { id: 'camera', message: 'Please take the picture first.' }
}

/** Whether the video is still to come: neither recorded nor left out. */
export function asksVideo(signer: SignerRecord): boolean {
  return signer.video && signer.videoAt === undefined && !signer.videoOptOut
}

function mayLeaveOut(signer: SignerRecord): boolean {
  return !signer.deepfake
}

export function videoPage({ document, signer, path }: Signing, mistake?: VideoMistake): Page {
  const name = fullName(signer)
  const wrong = (which: VideoMistake) =>
    mistake === which &&
    html`<p class="wrong" id="${MISTAKES[which].id}-wrong" role="alert">${MISTAKES[which].message}</p>`
  const without = html`<p>You can go on without the picture, or ask a member of staff to help with the camera.</p><div class="actions"><button class="plain" form="without" data-testid="video-without">Go on without a picture</button></div>`
  const askStaff = html`<p>The office needs the picture for this document. Please ask a member of staff to help with the camera, or to end here.</p>`
  const content = html`<main id="content"><form class="card" method="post" action="${path}/video" data-testid="video-form">
${emblem('person')}<h1>Video confirmation</h1>
<p>Please look into the camera for a picture. It shows later who has signed.${signer.deepfake && ' A detector checks that the picture is not a made-up one.'}</p>
${cameraPart(mayLeaveOut(signer) ? without : askStaff, 'required')}${wrong('no picture')}
<p class="note">This is practice: the picture is looked at and not kept.</p>
<label class="choice field"><input type="checkbox" name="confirm" id="confirm" value="true" required data-testid="video-confirm"${mistake === 'not confirmed' && html` aria-invalid="true" aria-describedby="confirm-wrong"`}><span>I am ${name}, and I sign of my own will.</span></label>
${wrong('not confirmed')}
<div class="actions"><span></span><button class="primary" data-testid="video-continue">Confirm</button></div></form>
${mayLeaveOut(signer) && html`<form id="without" method="post" action="${path}/video"><input type="hidden" name="without" value="true"></form>`}</main>`
  return {
    name: 'video',
    title: 'Video confirmation',
    document,
    steps: steps(signer, 'Identity'),
    content,
    usesCamera: true
  }
}

/** Takes a posted video form. Answers what is wrong with it; the signer is past this step where nothing is. */
export function takeVideo(
  document: DocumentRecord,
  signer: SignerRecord,
  form: Record<string, unknown>,
  now: number
): VideoMistake | undefined {
  if (text(form.without) === 'true' && mayLeaveOut(signer)) {
    signer.videoOptOut = true
    log(document, now, signer, 'Went on without a video')
    return undefined
  }
  if (!hasPicture(form)) return 'no picture'
  if (text(form.confirm) !== 'true') return 'not confirmed'
  signer.videoAt = now
  log(document, now, signer, 'Confirmed by video (practice)')
  return undefined
}
