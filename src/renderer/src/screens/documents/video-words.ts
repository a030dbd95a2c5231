/** A signer's video confirmation (reference 2.16) in sentences; what the service doesn't say is not said. */
import type { VideoDetailView } from '../../../../shared/contract/views.ts'
import type { StatusWords } from '../../words/statuses.ts'

export interface VideoFact extends Pick<StatusWords, 'shape' | 'tone'> {
  text: string
}

/** In the order of importance; at least one. */
export function videoInWords(video: VideoDetailView): VideoFact[] {
  const facts: (VideoFact | undefined)[] = [
    ready(video),
    video.isOptOut ? { text: 'The signer chose not to be filmed.', shape: 'question', tone: 'warn' } : undefined,
    video.isDisabled ? { text: 'The video is switched off for this signer.', shape: 'bar', tone: 'warn' } : undefined,
    video.isWitness ? { text: `In the video as a witness${ofOwner(video)}.`, shape: 'dot', tone: 'quiet' } : undefined,
    video.witnessOwner && !video.isWitness
      ? { text: `Witnessed for ${video.witnessOwner}.`, shape: 'dot', tone: 'quiet' }
      : undefined,
    video.isDeepfake === undefined
      ? undefined
      : video.isDeepfake
        ? { text: 'The deepfake detector looks at the video.', shape: 'dot', tone: 'quiet' }
        : { text: 'The deepfake detector does not look at the video.', shape: 'dot', tone: 'quiet' },
    video.name || video.email
      ? { text: `Filmed: ${[video.name, video.email].filter(Boolean).join(', ')}.`, shape: 'dot', tone: 'quiet' }
      : undefined
  ]
  return facts.filter((fact) => fact !== undefined)
}

function ready({ isReady, isOptOut, isDisabled }: VideoDetailView): VideoFact | undefined {
  if (isReady) return { text: 'The video is ready to be watched.', shape: 'tick', tone: 'ok' }
  if (isOptOut || isDisabled) return undefined
  return isReady === false
    ? { text: 'The video is not ready yet.', shape: 'ring', tone: 'quiet' }
    : { text: 'The service does not say whether there is a video.', shape: 'question', tone: 'quiet' }
}

function ofOwner({ witnessOwner }: VideoDetailView): string {
  return witnessOwner ? `, of ${witnessOwner}` : ''
}
