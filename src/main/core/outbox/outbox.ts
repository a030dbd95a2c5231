/**
 * From draft to sent, once. A send is written down before it leaves; one whose answer was lost is uncertain until the
 * folders of the service have been asked, and is never sent again before that.
 */
import {
  type Composition,
  problemsOf,
  titleOf,
  toFormDirectRequest,
  toFormFillerRequest
} from '../../../shared/composition/index.ts'
import type { AppError, DraftSummary, SendView } from '../../../shared/contract/index.ts'
import {
  type DocumentResponse,
  SendFormDirectRequest,
  SendFormFillerRequest,
  spell
} from '../../../shared/model/index.ts'
import type { Drafts } from '../drafts/drafts.ts'
import { fail } from '../failure.ts'
import type { ServiceClient } from '../service/service-client.ts'
import { type SendRecord, type Sends, type SentRequest, sendView } from './sends.ts'
import { documentsOf, markOf } from './traces.ts'

/** How long after a first fruitless look a second one decides, in milliseconds: the service may still be at work on it. */
export const SETTLING_TIME = 60_000

export interface OutboxEffects {
  sends: Sends
  drafts: Drafts
  clientOf: (accountId: string) => Promise<ServiceClient>
  /** What the account's folders hold now, with logs, and whether all of it could be read. Rejects where a folder can't be. */
  readAllFolders: (accountId: string) => Promise<{ documents: DocumentResponse[]; isComplete: boolean }>
  /** Called after the service took a send, for its folders to be read. */
  arrived: (accountId: string) => void
  /** Says an error in the user's words. */
  describe: (error: unknown) => AppError
  clock: () => number
  newId: () => string
}

export type Outbox = ReturnType<typeof openOutbox>

export function openOutbox(effects: OutboxEffects) {
  const { sends, drafts, clock, describe } = effects

  async function deliver(record: SendRecord): Promise<SendRecord> {
    let client: ServiceClient
    try {
      client = await effects.clientOf(record.accountId)
    } catch (error) {
      // Without a client nothing can have left.
      return { ...record, state: 'refused', error: { ...describe(error), mayHaveArrived: false }, settledAt: clock() }
    }
    try {
      const { package: response } =
        record.kind === 'form-direct'
          ? await client.sendForms2(record.request)
          : await client.sendTemplates(record.request)
      effects.arrived(record.accountId)
      return { ...record, state: 'sent', response, settledAt: clock() }
    } catch (error) {
      const told = describe(error)
      // Not knowing is never read as "not sent": that is how packages go twice.
      if (told.mayHaveArrived !== false) return { ...record, state: 'uncertain', error: told }
      return { ...record, state: 'refused', error: told, settledAt: clock() }
    }
  }

  return {
    list: (accountId: string): SendView[] => sends.list(accountId).map(sendView),

    /** @throws AppFailure `gone`. */
    get(id: string): SendView {
      return sendView(sends.get(id) ?? fail('gone', 'This send is no longer there.'))
    },

    /** Where the signer of a document that was sent from here is led after signing; undefined where it wasn't. */
    returnAddressOf(documentReference: string): string | undefined {
      const record = sends.ofDocument(documentReference)
      return record?.kind === 'form-direct' ? record.request.Forms[0]?.ReturnUrl : record?.request.ReturnUrl
    },

    /** A send that was on its way when the application ended may have arrived: called once, before anything is sent. */
    takeUpInterrupted(): void {
      for (const record of sends.inState('sending')) {
        sends.put({
          ...record,
          state: 'uncertain',
          error: {
            code: 'cancelled',
            message: 'The application was closed while this was being sent.',
            mayHaveArrived: true
          }
        })
      }
    },

    /**
     * Sends a draft; answers when the service took it, refused it, or when its answer was lost.
     * @throws AppFailure `invalid` with its fields where the draft can't be sent; `busy` where it was sent before.
     */
    async start(draftId: string): Promise<SendView> {
      const earlier = sends.ofDraft(draftId)
      if (earlier) fail('busy', alreadyThere[earlier.state] ?? 'This package was sent before.')
      const draft = drafts.get(draftId)
      const id = effects.newId()
      const record: SendRecord = {
        ...requestOf(draft.composition, id, clock()),
        id,
        accountId: draft.accountId,
        draftId,
        title: titleOf(draft.composition),
        state: 'sending',
        composition: draft.composition,
        attemptedAt: clock()
      }
      sends.put(record)
      const settled = await deliver(record)
      sends.put(settled)
      return sendView(settled)
    },

    /**
     * Asks the service whether an uncertain send arrived. It takes two fruitless looks, `SETTLING_TIME` apart, to say
     * that it did not. Another state than uncertain is answered as it is.
     * @throws what reading the folders throws; the send then stays uncertain.
     */
    async reconcile(id: string): Promise<SendView> {
      const record = sends.get(id) ?? fail('gone', 'This send is no longer there.')
      if (record.state !== 'uncertain') return sendView(record)
      const { documents, isComplete } = await effects.readAllFolders(record.accountId)
      const found = documentsOf(record, documents)
      if (found.length === 0 && !isComplete) {
        // The document that can't be read might be the one that is looked for.
        fail('unexpected-shape', 'Some documents in the folders could not be read, so this could not be settled.')
      }
      const asked = afterLook(record, found, clock())
      // Another look may have settled it while this one was under way.
      if (sends.get(id)?.state !== 'uncertain') return this.get(id)
      sends.put(asked)
      return sendView(asked)
    },

    /**
     * Makes a draft again of a send that did not reach its goal.
     * @throws AppFailure `busy` while it may have arrived.
     */
    again(id: string): DraftSummary {
      const record = sends.get(id) ?? fail('gone', 'This send is no longer there.')
      if (record.state !== 'refused' && record.state !== 'not-sent') {
        fail('busy', alreadyThere[record.state] ?? 'This package was sent.')
      }
      return (
        drafts.list(record.accountId).find((draft) => draft.id === record.draftId) ??
        drafts.save(record.accountId, record.composition)
      )
    }
  }
}

const alreadyThere: Partial<Record<SendRecord['state'], string>> = {
  sending: 'This package is being sent already.',
  uncertain: 'This package was sent, and no answer came. Ask the service whether it arrived before you send it again.',
  sent: 'This package was sent already.'
}

/** What one look at all folders makes of an uncertain send. */
export function afterLook(record: SendRecord, found: readonly DocumentResponse[], now: number): SendRecord {
  const { error: _error, missedAt, ...known } = record
  if (found.length > 0) {
    const PackageReference = found.find((document) => document.PackageReference)?.PackageReference
    const response = { Documents: [...found], ...(PackageReference && { PackageReference }) }
    return { ...known, state: 'sent', response, settledAt: now }
  }
  if (missedAt !== undefined && now - missedAt >= SETTLING_TIME) {
    return { ...known, state: 'not-sent', settledAt: now }
  }
  return {
    ...record,
    missedAt: missedAt ?? now,
    error: {
      code: 'timeout',
      message: 'The service does not show it yet. A second look in a minute decides.',
      mayHaveArrived: true,
      retryAfterMs: SETTLING_TIME - (now - (missedAt ?? now))
    }
  }
}

function requestOf(composition: Composition, sendId: string, now: number): SentRequest {
  const errors = problemsOf(composition, now).filter((problem) => problem.severity === 'error')
  const mark = (index: number) => `${markOf(sendId)}${index + 1}`
  const { kind } = composition
  const checked =
    kind === 'form-direct'
      ? SendFormDirectRequest.safeParse(toFormDirectRequest(composition, mark))
      : SendFormFillerRequest.safeParse(toFormFillerRequest(composition, mark))
  if (errors.length > 0 || !checked.success) {
    // Our own words where we have them; the model's are the last resort.
    const fields =
      errors.length > 0
        ? errors.map(({ at, message }) => ({ field: at, message }))
        : checked.error?.issues.map((issue) => ({ field: spell(issue.path), message: issue.message }))
    fail('invalid', 'Some of what is needed is missing or wrong.', { ...(fields && { fields }), mayHaveArrived: false })
  }
  return { kind, request: checked.data } as SentRequest
}
