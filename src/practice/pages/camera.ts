/**
 * The form part that takes the signer's picture. Without scripts it offers nothing; with them, the camera starts only
 * at the signer's request, and if it is unavailable, says so with the alternatives.
 */
import { html, type Markup } from './html.ts'
import { asText } from './posted-form.ts'

/** Maximum length in characters; a still of 640 × 480 has some fifty thousand. */
const MAX_PICTURE_LENGTH = 600_000

/**
 * Returns the camera part of a form.
 * @param alternatives markup with the alternatives, shown if the camera is unavailable.
 * @param requirement whether the picture may be omitted.
 */
export function cameraPart(alternatives: Markup, requirement: 'optional' | 'required'): Markup {
  return html`<section class="camera" data-camera="${requirement}" aria-label="Camera">
<div class="film"><svg data-camera-none viewBox="0 0 24 24" fill="none" stroke="currentColor" stroke-width="1.3" aria-hidden="true"><circle cx="12" cy="9" r="4"/><path d="M4.500 20.500c.8-4.500 3.700-6.500 7.500-6.500s6.700 2 7.500 6.500"/></svg><video data-camera-live playsinline muted hidden aria-label="What the camera sees" data-testid="camera-live"></video><img data-camera-still hidden alt="The picture that was taken" data-testid="camera-still"></div>
<p class="help" role="status" data-camera-says data-testid="camera-says"></p>
<div class="actions"><button type="button" class="plain" data-camera-start hidden data-testid="camera-start">Start the camera</button><button type="button" class="plain" data-camera-take hidden data-testid="camera-take">Take the picture</button><button type="button" class="plain" data-camera-again hidden data-testid="camera-again">Take another</button></div>
<div class="note" data-camera-refused hidden data-testid="camera-refused">${alternatives}</div>
<noscript><p class="note">The camera needs a browser that runs scripts. ${alternatives}</p></noscript>
<input type="hidden" name="picture"></section>`
}

/** Returns whether a posted form contains a plausible camera picture. The picture itself is never stored. */
export function hasPicture(form: Record<string, unknown>): boolean {
  const picture = asText(form.picture)
  return (
    picture.length <= MAX_PICTURE_LENGTH && /^data:image\/jpeg;base64,\/9j\/[A-Za-z0-9+/]{400,}={0,2}$/.test(picture)
  )
}
