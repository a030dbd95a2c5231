/**
 * Hands the documents of sends' answers to the documents' worker at once. Only this answer is sure to contain the links
 * for signing here (reference section 4, rule 7), so it is stored with them until the worker has them, and without them
 * from then on.
 */
import type { DocumentResponse, PackageResponse, SignerResponse } from '../../../shared/model/index.ts'
import { SerialTask } from '../jobs/lanes.ts'
import { backoff } from '../lib/time.ts'
import type { OutboxDeps } from './deps.ts'
import type { Send } from './send-record.ts'
import type { Sends } from './sends.ts'

/** How long to wait after the worker first failed to store them, in milliseconds. */
const FIRST_WAIT = 1_000

interface SentDocumentsDeps extends Pick<OutboxDeps, 'takeSent' | 'time'> {
  sends: Pick<Sends, 'answerOf' | 'withLinks' | 'forgetLinks'>
}

export class SentDocuments {
  readonly #deps: SentDocumentsDeps
  readonly #work: SerialTask<void>
  readonly #waiting = new Set<string>()
  #failures = 0

  constructor(deps: SentDocumentsDeps) {
    this.#deps = deps
    this.#work = new SerialTask(deps.time, () => this.#handOver())
  }

  /** Resumes what an earlier run could not hand over. */
  start(): void {
    for (const id of this.#deps.sends.withLinks()) this.#waiting.add(id)
    if (this.#waiting.size > 0) void this.#work.run()
  }

  answered({ id }: Send): void {
    this.#waiting.add(id)
    void this.#work.run()
  }

  close(): Promise<void> {
    return this.#work.close()
  }

  /** Hands over everything that waits, including what is added meanwhile. */
  async #handOver(): Promise<void> {
    const { time } = this.#deps
    let isAllDone = true
    for (const id of this.#waiting) {
      try {
        await this.#handOverOne(id)
        this.#waiting.delete(id)
      } catch {
        // The worker's file, or the outbox's own, can't be written at the moment. The answer is kept with its links.
        isAllDone = false
      }
    }
    if (isAllDone) this.#failures = 0
    else this.#work.schedule(backoff(FIRST_WAIT, ++this.#failures, time.random))
  }

  async #handOverOne(id: string): Promise<void> {
    const { sends, takeSent } = this.#deps
    const answer = sends.answerOf(id)
    if (!answer) return
    const documents = documentsWithLinks(answer.response)
    if (documents.length > 0) await takeSent(answer.accountId, documents)
    sends.forgetLinks(id)
  }
}

/** Returns the documents of an answer. A signer whose link is only at the answer's top level gets it from there. */
export function documentsWithLinks({ Documents = [], Signers = [] }: PackageResponse): DocumentResponse[] {
  const linked = Signers.filter(({ SigningKey }) => SigningKey)
  if (linked.length === 0) return Documents
  const everyone = Documents.flatMap((document) => document.Signers ?? [])
  // With one signer and one link, no name is needed.
  const isOnlyPair = everyone.length === 1 && linked.length === 1
  const linkOf = (signer: SignerResponse) => {
    const own = linked.filter((other) => isSamePerson(signer, other, isOnlyPair))
    const places = everyone.filter((other) => isSamePerson(signer, other, isOnlyPair))
    // Someone who signs several documents has as many links, in the documents' order. With any other number, a link
    // can't be assigned.
    return own.length === places.length ? own[places.indexOf(signer)]?.SigningKey : undefined
  }
  return Documents.map((document) => {
    if (!document.Signers) return document
    const signers = document.Signers.map((signer) => {
      const link = signer.SigningKey || linkOf(signer)
      return link ? { ...signer, SigningKey: link } : signer
    })
    return { ...document, Signers: signers }
  })
}

/** @param isAlone whether no one else could be meant. */
function isSamePerson(one: SignerResponse, other: SignerResponse, isAlone: boolean): boolean {
  if (one.SignerReference && other.SignerReference) return one.SignerReference === other.SignerReference
  const [name, otherName] = [personKeyOf(one), personKeyOf(other)]
  return name.trim() && otherName.trim() ? name === otherName : isAlone
}

function personKeyOf({ FirstName = '', LastName = '', Email = '' }: SignerResponse): string {
  return `${FirstName}\n${LastName}\n${Email}`.toLowerCase()
}
