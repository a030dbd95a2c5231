/** Encodes sends and their results for the office, and decodes them. Other versions may have written some of them. */
import { z } from 'zod'
import { Composition } from '../../../shared/composition/index.ts'
import type { PackageResponse } from '../../../shared/model/index.ts'
import { parsedJson } from '../lib/json-scanning.ts'
import type { AttemptEnd, SentContent } from '../office/send-store.ts'
import type { Outcome } from './attempts.ts'
import { Release } from './releases.ts'
import type { Send, SentRequest } from './send-record.ts'
import { jsonWithoutLinks, type Sends } from './sends.ts'

/** What the office has of a send, sealed: all that is needed to send it, show it, and make a draft of it. */
export type SharedBody = SentRequest & {
  composition: Composition
  createdAt: number
  isScheduled: boolean
  /** The draft it was made from, if the office has that. */
  draftId?: string | undefined
  release?: Release | undefined
  /** See `Send`: what a person said of an uncertain send. */
  dismissed?: string[] | undefined
  dismissedFolders?: string[] | undefined
}
const Texts = z.array(z.string()).optional().catch(undefined)

/** How an outcome is told to the office, which counts attempts by it. */
export const ATTEMPT_END_OF: Record<Outcome['kind'], AttemptEnd> = {
  accepted: 'accepted',
  refused: 'refused',
  uncertain: 'uncertain',
  offline: 'nothing-left',
  'rate-limited': 'nothing-left',
  stopped: 'stopped'
}

/** Reads what `shareableOutcome` returned; undefined if nothing was said, or this version doesn't know its format. */
export function readOutcome(answer: unknown): Outcome | undefined {
  const outcome = answer as Outcome | null | undefined
  if (!outcome || !Object.hasOwn(ATTEMPT_END_OF, outcome.kind)) return undefined
  return typeof (outcome.kind === 'accepted' ? outcome.response : outcome.error) === 'object' ? outcome : undefined
}

/** Returns what other workstations may know of an outcome: no signing links. */
export function shareableOutcome(outcome: Outcome): Outcome {
  if (outcome.kind !== 'accepted') return outcome
  return { kind: 'accepted', response: JSON.parse(jsonWithoutLinks(outcome.response)) as PackageResponse }
}

/** Returns what the office is told about a send that arrived: the service's answer, if it is stored here. */
export function arrivalOutcome(sends: Pick<Sends, 'answerOf'>, id: string): Outcome {
  return shareableOutcome({ kind: 'accepted', response: sends.answerOf(id)?.response ?? { Documents: [] } })
}

/** Returns the office's draft that a send was made from, and which of its contents, as far as is known here. */
export function sentDraftOf({
  draftId,
  sentDraft,
  sentContent
}: Partial<Pick<Send, 'draftId' | 'sentDraft' | 'sentContent'>>):
  | ({ draft: string } & Partial<SentContent>)
  | undefined {
  const draft = draftId ?? sentDraft
  return draft === undefined ? undefined : { draft, ...sentContent }
}

/** Encodes a send's content. @param draftId the draft's id, if the office has it. */
export function encodeSend(send: Send, content: SentRequest, composition: Composition, draftId?: string): Buffer {
  const { createdAt, isScheduled, release, dismissed, dismissedFolders } = send
  const body = {
    kind: content.kind,
    request: content.request,
    composition,
    createdAt,
    isScheduled,
    draftId,
    release,
    ...(dismissed.length > 0 && { dismissed }),
    ...(dismissedFolders.length > 0 && { dismissedFolders })
  } as SharedBody
  return Buffer.from(JSON.stringify(body))
}

/** Returns what an office's change of a send says of its release; undefined if it says nothing. */
export const releaseIn = ({ content }: { readonly content?: Buffer | undefined }): Release | undefined =>
  content && readSharedBody(content)?.release

/** Decodes a send's content; undefined if this version doesn't know its format. */
export function readSharedBody(content: Buffer): SharedBody | undefined {
  const body = parsedJson(content.toString('utf8')) as SharedBody | undefined
  const isWellFormed =
    body && (body.kind === 'form-direct' || body.kind === 'form-filler') && typeof body.request === 'object'
  if (!isWellFormed || typeof body.createdAt !== 'number') return undefined
  const composition = Composition.safeParse(body.composition)
  const draftId = typeof body.draftId === 'string' ? body.draftId : undefined
  const release = Release.optional().safeParse(body.release)
  if (!composition.success || !release.success) return undefined
  return {
    ...body,
    composition: composition.data,
    isScheduled: body.isScheduled === true,
    draftId,
    release: release.data,
    dismissed: Texts.parse(body.dismissed),
    dismissedFolders: Texts.parse(body.dismissedFolders)
  }
}
