/**
 * The part of a form that takes a picture of the signer with the camera. Without a script it offers nothing; with it the
 * camera starts only when the signer says so, and a camera that can't be had is said plainly, with the ways on.
 */
import { html, type Markup } from './html.ts'
import { text } from './posted-form.ts'

/** A still of 640 × 480 has some fifty thousand characters. */
const LONGEST_PICTURE = 600_000

/**
 * @param wayOn what someone without a camera can do here, as markup: shown once the camera can't be had.
 * @param asked whether the picture may be left out.
 */
export function cameraPart(wayOn: Markup, asked: 'optional' | 'required'): Markup {
  return html`<section class="camera" data-camera="${asked}" aria-label="Camera">
<div class="film"><svg data-camera-none viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.3" aria-hidden="true"><circle cx="12" cy="9" r="4"/><path d="M4.500 20.500c.8-4.500 3.700-6.500 7.500-6.500s6.700 2 7.500 6.500"/></svg><video data-camera-live playsinline muted hidden aria-label="What the camera sees" data-testid="camera-live"></video><img data-camera-still hidden alt="The picture that was taken" data-testid="camera-still"></div>
<p class="help" role="status" data-camera-says data-testid="camera-says"></p>
<div class="actions"><button type="button" class="plain" data-camera-start hidden data-testid="camera-start">Start the camera</button><button type="button" class="plain" data-camera-take hidden data-testid="camera-take">Take the picture</button><button type="button" class="plain" data-camera-again hidden data-testid="camera-again">Take another</button></div>
<div class="note" data-camera-refused hidden data-testid="camera-refused">${wayOn}</div>
<noscript><p class="note">The camera needs a browser that runs scripts. ${wayOn}</p></noscript>
<input type="hidden" name="picture"></section>`
}

/** Whether a posted form has a picture that a camera could have taken. A practice looks at it and keeps nothing of it. */
export function hasPicture(form: Record<string, unknown>): boolean {
  const picture = text(form.picture)
  return picture.length <= LONGEST_PICTURE && /^data:image\/jpeg;base64,\/9j\/[A-Za-z0-9+/]{400,}={0,2}$/.test(picture)
}
