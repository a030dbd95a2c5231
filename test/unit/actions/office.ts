/**
 * Actions wired as in the application, over a real database, and a practice service behind a connection that can fail.
 */
import { randomUUID } from 'node:crypto'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { openAccounts } from '../../../src/main/core/accounts/accounts.ts'
import { openClients } from '../../../src/main/core/accounts/clients.ts'
import { openRights } from '../../../src/main/core/accounts/rights.ts'
import { openServiceFacts } from '../../../src/main/core/accounts/service-facts.ts'
import { Actions } from '../../../src/main/core/actions/actions.ts'
import type { AskDocuments, DocumentQuestions, MirroredDocument } from '../../../src/main/core/documents/questions.ts'
import { systemTime } from '../../../src/main/core/lib/time.ts'
import { ExclusiveTasks } from '../../../src/main/core/office/exclusive-tasks.ts'
import type { ServiceClient } from '../../../src/main/core/service/index.ts'
import { connectEncrypted } from '../../../src/main/core/storage/connection.ts'
import { memoryKeychain } from '../../../src/main/core/storage/keychain.ts'
import { migrate } from '../../../src/main/core/storage/migrations.ts'
import { listen } from '../../../src/practice/office.ts'
import { seed } from '../../../src/practice/seed.ts'
import { createPracticeService } from '../../../src/practice/service.ts'
import { systemClock, systemRandom } from '../../../src/practice/sources.ts'
import type { ActionRequest, ActionView } from '../../../src/shared/contract/index.ts'
import { type DocumentResponse, FOLDERS } from '../../../src/shared/model/index.ts'
import { activeDocuments } from '../../fixtures/active-documents.ts'
import { openFaultProxy } from '../../fixtures/fault-proxy.ts'
import { testTime } from '../../fixtures/own-time.ts'

export type Office = Awaited<ReturnType<typeof openOffice>>

export async function openOffice(data: 'demo' | 'empty' = 'empty') {
  const folder = await mkdtemp(join(tmpdir(), 'countersign-actions-'))
  const practice = createPracticeService({ state: seed(data, systemClock, systemRandom) })
  const listening = await listen(practice)
  const line = await openFaultProxy(listening.url)
  const time = testTime()
  const secrets = memoryKeychain().accounts
  /** How far the ordering clock is ahead of the wall clock, as after the latter jumped and was set back. */
  const ahead = { by: 0 }
  let accountId = ''

  function run() {
    const db = connectEncrypted(join(folder, 'work.db'), Buffer.alloc(32, 7))
    migrate(db)
    const life = new AbortController()
    const its = time.run({ random: () => 0 })
    const fetchAlive = (url: string, init: RequestInit) =>
      fetch(url, { ...init, signal: AbortSignal.any([life.signal, ...(init.signal ? [init.signal] : [])]) })
    const accounts = openAccounts({ db, secrets, newId: randomUUID, time: { now: time.clock } })
    const clients = openClients({
      facts: openServiceFacts({ db, time: systemTime, changed: () => undefined }),
      accounts,
      fetch: fetchAlive,
      time: systemTime
    })
    const mirror = openSmallMirror(clients.of)
    const rights = openRights(db)
    const notified = { ids: [] as string[], soon: 0, taken: [] as string[], corrected: [] as string[] }
    const actions = new Actions({
      db,
      clientOf: clients.of,
      ask: mirror.ask,
      rights,
      exclusiveTasks: new ExclusiveTasks(),
      refresh: mirror.refresh,
      readSoon: () => void notified.soon++,
      documentStored: (accountId) => void notified.taken.push(accountId),
      signersCorrected: (_accountId, signers) =>
        void notified.corrected.push(...signers.map(({ was, Email }) => `${was.Email} → ${Email}`)),
      changed: (ids) => void notified.ids.push(...ids),
      time: its,
      moment: () => time.clock() + ahead.by
    })
    return {
      db,
      accounts,
      clients,
      mirror,
      rights,
      actions,
      notified,
      kill() {
        life.abort()
        its.end()
        db.close()
      }
    }
  }

  let parts = run()
  accountId = (
    await parts.accounts.add({
      kind: 'service',
      name: 'Test office',
      baseUrl: line.url,
      authentication: { scheme: 'none' }
    })
  ).id
  begin()

  function begin(): void {
    parts.actions.recover()
    parts.actions.startDispatching()
  }

  const direct = async (path: string, body: unknown) => {
    const response = await fetch(`${listening.url}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', accept: 'application/json' },
      body: JSON.stringify(body)
    })
    return (await response.json()) as { Documents?: DocumentResponse[] }
  }

  return {
    accountId,
    practice,
    line,
    time,
    ahead,
    get parts() {
      return parts
    },
    get actions() {
      return parts.actions
    },
    /** Cuts the connection, and lets the client notice: a request on a connection that just broke may have arrived. */
    async cutLine(): Promise<void> {
      await line.goDown()
      await new Promise((resume) => setTimeout(resume, 20))
    },
    /** A client that bypasses the faulty connection, as someone else in the office would use. */
    direct,
    /** Sends a package directly and reads the folders. Returns its documents as read. */
    async send(documents = 1, signers = [person(), person('Wiremu')]): Promise<MirroredDocument['document'][]> {
      const Forms = Array.from({ length: documents }, (_, index) => ({
        Name: `Letter ${index + 1}`,
        FormType: 1,
        Reference: 'letter',
        EmbedForm: true,
        Signers: signers
      }))
      const sent = await direct('/FormDirect/SendForms2', { Forms })
      await parts.mirror.refresh(accountId)
      return Promise.all((sent.Documents ?? []).map(async ({ Reference }) => document(Reference)))
    },
    document,
    start: (reference: string, request: ActionRequest, id: string = randomUUID()) =>
      parts.actions.start(accountId, { id, reference, request }),
    /** Returns the requests that the practice service accepted, by operation. */
    taken: (operation: string) => practice.recorded().filter((request) => request.operation === operation),
    /** Passes time until an action is in one of these states. */
    async until(id: string, ...states: ActionView['state'][]): Promise<ActionView> {
      for (;;) {
        const view = parts.actions.get(id)
        if (states.includes(view.state)) return view
        const isOver = view.state === 'done' || view.state === 'refused' || view.state === 'cancelled'
        if (isOver) throw new Error(`It is ${view.state}: ${view.error?.message}`)
        await new Promise((resume) => setTimeout(resume, 2))
      }
    },
    /** Kills the application and restarts it with the same database. */
    async startAgain() {
      parts.kill()
      const { mirror } = parts
      parts = run()
      parts.mirror.takeOver(mirror)
      begin()
      return parts
    },
    async close() {
      parts.kill()
      await line.close()
      await listening.close()
      await rm(folder, { recursive: true, force: true })
    }
  }

  async function document(reference: string): Promise<DocumentResponse> {
    const mirrored = await parts.mirror.ask('get', { accountId, reference })
    if (!mirrored) throw new Error('The mirror doesn’t have this document.')
    return mirrored.document
  }
}

/** A mirror that keeps what the folders showed, as the worker does, and nothing more. */
function openSmallMirror(clientOf: (accountId: string) => Promise<ServiceClient>) {
  const documents = new Map<string, MirroredDocument>()
  const takenAt: number[] = []
  const reports: unknown[][] = []
  const backwards = new Set<string>()
  let readCount = 0
  const put = (accountId: string, one: DocumentResponse) =>
    documents.set(one.Reference, {
      accountId,
      document: backwards.has(one.Reference) ? turned(one) : one,
      folder: one.Folder ?? 'InBox',
      seenAt: readCount,
      changedAt: readCount,
      unread: false,
      logsAreOld: false
    })
  const answers = {
    get: ({ reference }: { reference: string }) => documents.get(reference),
    inPackage: ({ packageReference }: { packageReference: string }) =>
      [...documents.values()].filter((one) => one.document.PackageReference === packageReference),
    acting: ({ reference, kind, due }: DocumentQuestions['acting']['ask']) => {
      reports.push(['leaves', reference, kind, ...(due === undefined ? [] : [due])])
      return null
    },
    actionRefused: ({ reference, kind }: DocumentQuestions['actionRefused']['ask']) => {
      reports.push(['refused', reference, kind])
      return null
    },
    takeOne: (one: { accountId: string; document: DocumentResponse; now: number }) => {
      takenAt.push(one.now)
      put(one.accountId, one.document)
      return null
    }
  }
  let trouble: Error | undefined
  const interruptions = new Map<string, () => void>()
  return {
    documents,
    /** The times the worker was given for answers of operations. */
    takenAt,
    /** What the worker was told about actions that leave, and about those that the service refused. */
    reports,
    ask: (async (name: keyof typeof answers, ask: never) => {
      if (trouble && name === 'inPackage') throw trouble
      interruptions.get(name)?.()
      return structuredClone(answers[name](ask))
    }) as AskDocuments,
    /** Makes the worker fail with this error, or work again. */
    fail: (error: Error | undefined) => {
      trouble = error
    },
    /** Does something once, before the next question of this name is answered. Resolves with its result. */
    whenAsked: <Value>(name: keyof typeof answers, work: () => Value) =>
      new Promise<Value>((resolve) => {
        interruptions.set(name, () => {
          interruptions.delete(name)
          resolve(work())
        })
      }),
    /** Makes the service list the document's signers in reverse from now on. */
    turnSigners(reference: string): void {
      backwards.add(reference)
      const current = documents.get(reference)
      if (current) documents.set(reference, { ...current, document: turned(current.document) })
    },
    async refresh(accountId: string): Promise<void> {
      const client = await clientOf(accountId)
      const read = await Promise.all(FOLDERS.map((folder) => activeDocuments(client, folder, { documentLog: false })))
      readCount++
      for (const one of read.flatMap(({ items }) => items)) put(accountId, one)
    },
    takeOver(other: { documents: Map<string, MirroredDocument> }) {
      for (const [reference, one] of other.documents) documents.set(reference, { ...one, seenAt: 0 })
    }
  }
}

function turned(document: DocumentResponse): DocumentResponse {
  return { ...document, Signers: document.Signers?.toReversed() }
}

export function person(FirstName = 'Aroha', more: object = {}) {
  return { FirstName, LastName: 'Parata', Email: `${FirstName.toLowerCase()}@example.com`, ...more }
}

const DAY = 86_400_000

/** Returns a request for another due date, that many days from now, at a full minute. */
export function extension(days = 30, gmt = 720): Extract<ActionRequest, { kind: 'extend' }> {
  const at = Math.floor((Date.now() + days * DAY) / 60_000) * 60_000
  return { kind: 'extend', dueDate: new Date(at).toISOString(), gmt }
}

/** Returns a request to rename the document's first signer, as from a screen that shows this document. */
export function correction(
  document: DocumentResponse | undefined,
  more: object = {}
): Extract<ActionRequest, { kind: 'correct' }> {
  const { SignerReference, FirstName = '', LastName = '', Email = '' } = document?.Signers?.[0] ?? {}
  const was = { ...(SignerReference && { SignerReference }), FirstName, LastName, Email }
  const corrected = { FirstName: 'Ārohanui', LastName: 'Parata', Email: 'arohanui@example.com' }
  return { kind: 'correct', signers: [{ index: 0, was, ...corrected, ...more }] }
}
