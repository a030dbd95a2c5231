/**
 * Wording for the verification of a signature and for a video confirmation (reference 2.16). A signature is called
 * valid only if the service says so; what it doesn't report isn't mentioned.
 */
import type { VideoDetailView } from '../../../../shared/contract/views.ts'
import { readCertainDate } from '../../../../shared/model/service-date.ts'
import type { VerifySignature } from '../../../../shared/model/validation.ts'
import { momentInWords } from '../../words/dates.ts'
import type { StatusWords } from '../../words/statuses.ts'
import { signatureStatus } from '../../words/verifications.ts'

export interface SignatureWords {
  status: StatusWords
  /** What it means for anyone relying on the document. */
  meaning: string
  who: string
  /** When it was made; as written by the service if it isn't a date. */
  when: string | undefined
  /** Company, title, reason and any other details of the signer. */
  more: { label: string; value: string }[]
}

/**
 * Describes the verification of a signature.
 * @param gmt the document's own offset in minutes east of UTC, for times without a zone.
 */
export function signatureWords(signature: VerifySignature, gmt?: number): SignatureWords {
  const { isValid, Signer: signer } = signature
  const name = [signer?.FirstName, signer?.LastName].filter(Boolean).join(' ')
  const at = readCertainDate(signature.SignatureTime, gmt)
  const more = [
    { label: 'E-mail', value: signer?.Email },
    { label: 'Company', value: signer?.Company },
    { label: 'Title', value: signer?.Title },
    { label: 'Reason', value: signer?.Reason },
    { label: 'Signed as', value: name && signature.User !== name ? signature.User : undefined }
  ]
  return {
    status: signatureStatus(isValid),
    meaning:
      isValid === true
        ? 'The document hasn’t changed since this signature.'
        : isValid === false
          ? 'The document was changed after signing, or the signature isn’t genuine. Don’t rely on it.'
          : 'The service doesn’t say whether this signature is valid. Don’t rely on it until you know.',
    who: name || signature.User || 'Unnamed signer',
    when: at ? momentInWords(at.at) : signature.SignatureTime,
    more: more.flatMap(({ label, value }) => (value ? [{ label, value }] : []))
  }
}

/** A statement about a signer's video confirmation (reference 2.16). */

interface VideoFact extends Pick<StatusWords, 'shape' | 'tone'> {
  text: string
}

const neutralFact = (text: string): VideoFact => ({ text, shape: 'dot', tone: 'quiet' })

/**
 * Describes a video confirmation: at least one statement, most important first. What the service doesn't report isn't
 * mentioned.
 */
export function videoInWords(video: VideoDetailView): VideoFact[] {
  const { isOptOut, isDisabled, isWitness, witnessOwner: owner, isDeepfake } = video
  const filmed = [video.name, video.email].filter(Boolean).join(', ')
  const facts: (VideoFact | '' | false | undefined)[] = [
    ready(video),
    isOptOut && { text: 'The signer opted out of video.', shape: 'question', tone: 'warn' },
    isDisabled && { text: 'Video is turned off for this signer.', shape: 'bar', tone: 'warn' },
    isWitness && neutralFact(`Witness in the video${owner ? `, for ${owner}` : ''}.`),
    owner && !isWitness && neutralFact(`Witnessed for ${owner}.`),
    isDeepfake !== undefined && neutralFact(`Deepfake detector is ${isDeepfake ? 'on' : 'off'}.`),
    filmed && neutralFact(`In the video: ${filmed}.`)
  ]
  return facts.filter((fact) => typeof fact === 'object')
}

function ready({ isReady, isOptOut, isDisabled }: VideoDetailView): VideoFact | undefined {
  if (isReady) return { text: 'The video is ready.', shape: 'tick', tone: 'ok' }
  if (isOptOut || isDisabled) return undefined
  return isReady === false
    ? { text: 'The video isn’t ready yet.', shape: 'ring', tone: 'quiet' }
    : { text: 'It isn’t known whether there is a video.', shape: 'question', tone: 'quiet' }
}
