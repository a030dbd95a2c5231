/**
 * Run as a program: one workstation that reads commands from standard input, one JSON line each, and answers each with
 * one line. It is meant to be killed, to run out of disk space and to lose its keychain. Its time runs faster than real
 * time.
 */
import { mkdirSync, writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import keytar from 'keytar'
import type { SigningTurn } from '../../src/main/core/counter/deps.ts'
import { asAppError } from '../../src/main/core/errors/app-error.ts'
import { systemTime, type Time } from '../../src/main/core/lib/time.ts'
import { openKeychainCalls, openKeytarKeychain } from '../../src/main/core/storage/keytar-keychain.ts'
import type { AppError, SendState } from '../../src/shared/contract/index.ts'
import { form, forms, signer } from '../fixtures/compositions.ts'
import { openWorkstation, UNSEEN_PAGE } from '../fixtures/workstation.ts'
import { fileKeychain } from '../unit/storage/keychains.ts'

const HASTE = 20

/** The program's argument. */
export interface WorkstationPlan {
  /** All its files are below this folder. */
  root: string
  baseUrl: string
  token: string
  /** A file next to the data, or the system's keychain. */
  keychain: 'file' | 'system'
  /** Timeout of the system's keychain, in milliseconds. */
  patience?: number
  /** The number of pages by which the database may grow before SQLite reports a full disk. */
  morePages?: number
}

/** The application's view of its data. */
export interface WorkstationSnapshot {
  drafts: string[]
  sends: { title: string; state: SendState; error?: AppError }[]
  notes: string[]
  trail: { isWhole: boolean; entries: number } | AppError
  /** Events at the counter, oldest first, with their session. */
  counter: { session: string; what: string; detail: Record<string, string> }[]
  troubles: AppError[]
}

/** How the data was opened. */
export interface WorkstationOpened {
  state: 'encrypted' | 'memory'
  because?: string
  setAside?: { name: string; reason: string }
  keychain: string
}

export type WorkstationAnswer = { ok: true; value: unknown } | { ok: false; error: AppError }

const plan = JSON.parse(process.argv[2] ?? '{}') as WorkstationPlan
const files = join(plan.root, 'Files')
mkdirSync(files, { recursive: true })

const time: Time = {
  ...systemTime,
  elapsed: () => performance.now() * HASTE,
  after: (delay, task) => systemTime.after(delay / HASTE, task)
}

const calls = openKeychainCalls()
const opened =
  plan.keychain === 'file'
    ? {
        keychain: fileKeychain(join(plan.root, 'keychain.json')),
        status: { state: 'available' as const }
      }
    : await openKeytarKeychain(async () => keytar, { timeoutMs: plan.patience ?? 5_000, calls })

let page: SigningTurn | undefined
let pages = 0
const work = await openWorkstation({
  folder: join(plan.root, 'own'),
  files,
  time,
  baseUrl: plan.baseUrl,
  token: plan.token,
  keychain: opened.keychain,
  staff: () => 'Ana',
  openView(turn) {
    page = turn
    pages++
    return {
      ...UNSEEN_PAGE,
      destroy: async () => {
        page = undefined
      }
    }
  }
})

if (plan.morePages !== undefined) {
  const pages = Number(work.db.pragma('page_count', { simple: true }))
  work.db.pragma(`max_page_count = ${pages + plan.morePages}`)
}

const { audit, counter, drafts, outbox, pin } = work
const at = { x: 0, y: 40, width: 800, height: 600 }
const sessionId = () => counter.state()?.id ?? ''

const commands: Record<string, (argument: string) => unknown> = {
  account: () => work.account(),
  begin: () => work.start(),
  async draft(title) {
    return drafts.save(await work.account(), forms({ items: [form({ Name: title })] })).id
  },
  /** Puts a package in the outbox and sends it at once. */
  async send(title) {
    const people = [signer()]
    const composition = forms({ embedded: true, items: [form({ Name: title, Reference: 'FORM-1', signers: people })] })
    const { id } = outbox.enqueue(drafts.save(await work.account(), composition).id)
    await outbox.sendNow(id)
  },
  /** Writes an audit trail entry; returns whether that succeeded. */
  note(text) {
    const before = work.troubles.length
    audit.note({ what: 'settings-changed', detail: { chaos: text } })
    return work.troubles.length === before
  },
  async snapshot(): Promise<WorkstationSnapshot> {
    const account = work.accounts.list()[0]?.id ?? ''
    const list = await audit.list('', 0, 10_000)
    const entries = list.entries.toReversed()
    return {
      drafts: drafts.list([account], { limit: 10_000 }).rows.map(({ title }) => title),
      sends: sendsOf(account),
      notes: entries.flatMap(({ detail }) => detail.chaos ?? []),
      trail: await audit.check().catch(asAppError),
      counter: entries.flatMap(({ session, what, detail }) => (session ? [{ session, what, detail }] : [])),
      troubles: work.troubles.map(asAppError)
    }
  },
  outbox: async () => outbox.state(await work.account()),
  resume: async () => outbox.resume(await work.account()),
  /** Something that needs the account's credentials and calls the service. */
  refresh: async () => work.polling.refresh(await work.account()),
  settled: () => audit.flush(),
  pin: (text) => pin.set(text),
  pinState: () => pin.state(),
  queue: () => counter.queue(),
  async offer(name) {
    const [documentReference, index] = await entryOf(name)
    return counter.offer(documentReference, index)
  },
  async start(name) {
    const [documentReference, index] = await entryOf(name)
    const turns = [{ documentReference, signer: index, evidence: ['photo-identification'] }]
    return counter.start({ turns, allowsCamera: false })
  },
  beginTurn: () => counter.begin(sessionId()),
  open() {
    counter.show(sessionId(), at)
    page?.events.loading()
    page?.events.open()
    return page?.url
  },
  link: () => page?.url,
  returned: () => page?.events.returned(),
  finish: () => counter.finish(sessionId()),
  next: () => counter.next(sessionId()),
  unlock: (text) => counter.unlock(sessionId(), text),
  endSession: () => counter.staff(sessionId(), 'end', 'office'),
  close: () => counter.close(sessionId()),
  resumeInterrupted: () => counter.resumeInterrupted(),
  session: () => ({ state: counter.state(), pages, isPageOpen: page !== undefined }),
  end: async () => {
    await work.shutDown()
    // As the application does: see openKeychain.
    setImmediate(() => (calls.underWay > 0 ? process.kill(process.pid, 'SIGKILL') : process.exit(0)))
  }
}

function sendsOf(account: string): WorkstationSnapshot['sends'] {
  const all: WorkstationSnapshot['sends'] = []
  for (;;) {
    const { rows, total } = outbox.list([account], { show: 'all', offset: all.length, limit: 500 })
    all.push(...rows.map(({ title, state, error }) => ({ title, state, ...(error && { error }) })))
    if (rows.length === 0 || all.length >= total) return all
  }
}

async function entryOf(name: string): Promise<[reference: string, signer: number]> {
  const found = (await counter.queue()).find(({ documentName }) => documentName === name)
  if (!found) throw new Error('Nobody waits for this document.')
  return [found.documentReference, found.signer]
}

/** Not console.log, which buffers: the answer must be out before the process dies. */
const answer = (message: WorkstationAnswer) => writeSync(1, `${JSON.stringify(message)}\n`)

const { state, setAside, because } = { because: undefined, setAside: undefined, ...work.storage }
answer({
  ok: true,
  value: { state, because, setAside, keychain: opened.status.state } satisfies Partial<WorkstationOpened> | object
})
// A killed process wouldn't store it.
flushCompileCache()
for await (const line of createInterface({ input: process.stdin })) {
  const [name = '', argument = ''] = JSON.parse(line) as string[]
  try {
    const value = await commands[name]?.(argument)
    answer({ ok: true, value: value ?? null })
  } catch (error) {
    answer({ ok: false, error: asAppError(error) })
  }
}
process.exit(0)
