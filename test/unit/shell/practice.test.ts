import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'
import type { PracticeOfficeStore } from '../../../src/main/core/accounts/practice-office-store.ts'
import { type Practice, type PracticeRun, practiceOf } from '../../../src/main/shell/practice.ts'
import { aForm } from '../practice/practice.ts'
import { temporaryFolder } from '../storage/folders.ts'

const source = new URL('../../../src/main/shell/practice-worker.ts', import.meta.url)
const endsOnItsFirstDay = new URL(
  `data:text/javascript,${encodeURIComponent(`
    import { parentPort, workerData } from 'node:worker_threads'
    await import(${JSON.stringify(source.href)})
    if (workerData.port === 0) parentPort.on('message', ({ kind }) => kind === 'day' && setImmediate(() => process.exit(1)))
  `)}`
)
const endsAtOnce = new URL('data:text/javascript,process.exit(1)')

let practice: Practice
let runs: (PracticeRun | undefined)[]
const log = { error: vi.fn() }

/** A store that keeps what it is given, as the database does. */
function place(state?: string) {
  const stored = { state, setAsides: 0 }
  const office: PracticeOfficeStore = {
    load: () => stored.state,
    save: (text) => {
      stored.state = text
    },
    add: (line) => {
      stored.state = `${stored.state}\n${line}`
    },
    setAside: () => {
      stored.setAsides += 1
    }
  }
  return { stored, office }
}

function officeIn(office: PracticeOfficeStore, worker: URL = source): Practice {
  practice = practiceOf({ worker, kept: office, runChanged: (run) => runs.push(run), log })
  return practice
}

const lastRun = () => runs.at(-1) as PracticeRun
const ask = ({ url, token }: PracticeRun, folder = 'InBox') =>
  fetch(`${url}/Document/GetActiveDocuments/${folder}`, {
    headers: { accept: 'application/json', authorization: `Bearer ${token}` }
  })

const send = ({ url, token }: PracticeRun) =>
  fetch(`${url}/FormDirect/SendForms2`, {
    method: 'POST',
    headers: {
      accept: 'application/json',
      'content-type': 'application/json',
      authorization: `Bearer ${token}`
    },
    body: JSON.stringify({ Forms: [aForm()] })
  })

async function referenceIn(answer: Response): Promise<string> {
  const { Documents } = (await answer.json()) as { Documents: { Reference: string }[] }
  return Documents[0]?.Reference ?? ''
}

beforeEach(() => {
  runs = []
  log.error.mockClear()
})

afterEach(() => practice.stop())

describe('the practice office beside the application', () => {
  test('listens on this machine, and answers only those with its token', async () => {
    await officeIn(place().office).start()
    expect(lastRun().url).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/)
    expect((await ask(lastRun())).status).toBe(200)
    expect((await ask({ ...lastRun(), token: 'another' })).status).toBe(401)
  })

  test('is a single office, however often it is started', { tags: ['full'] }, async () => {
    const one = officeIn(place().office)
    await Promise.all([one.start(), one.start(), one.start()])
    await one.start()
    expect(runs).toHaveLength(1)
  })

  test('has the same address and content after being closed and opened again', async () => {
    await officeIn(place().office).start()
    const before = lastRun()
    const had = await (await ask(before)).json()
    await practice.stop()
    expect(runs.at(-1)).toBeUndefined()
    await expect(ask(before)).rejects.toThrow()

    await practice.start()
    expect(new URL(lastRun().url).port).toBe(new URL(before.url).port)
    expect(lastRun().token).not.toBe(before.token)
    expect(await (await ask(lastRun())).json()).toEqual(had)
  })

  test('stores a package before it confirms it, and has it again after being killed at that moment', async () => {
    const { stored, office } = place()
    await officeIn(office).start()
    const answer = await send(lastRun())
    // A power cut at this moment would leave only what is on disk.
    const left = stored.state
    const reference = await referenceIn(answer)
    expect(left).toContain(reference)
    await practice.stop()

    await officeIn(place(left).office).start()
    const folders = await Promise.all(['InBox', 'Progress'].map(async (one) => (await ask(lastRun(), one)).text()))
    expect(folders.join()).toContain(reference)
  })

  test('answers even if the disk is full, and stores the package once it can', async () => {
    const { stored, office } = place()
    let isFull = false
    const unlessFull = (write: (text: string) => void) => (text: string) => {
      if (isFull) throw new Error('The disk is full.')
      write(text)
    }
    await officeIn({ ...office, add: unlessFull(office.add), save: unlessFull(office.save) }).start()
    isFull = true
    const reference = await referenceIn(await send(lastRun()))
    expect(stored.state).not.toContain(reference)
    isFull = false
    await practice.stop()
    expect(stored.state).toContain(reference)
  })

  test('starts again if the stored office is unreadable, which is set aside', async () => {
    const { stored, office } = place('not an office')
    await officeIn(office).start()
    expect((await ask(lastRun())).status).toBe(200)
    expect(stored.setAsides).toBe(1)
  })

  test('has a bad day as soon as one is set, until Countersign is restarted', async () => {
    const { stored, office } = place()
    const day = { dialects: [], refusal: '402' } as const
    const first = officeIn(office)
    await first.setDay({ ...day, dialects: [] })
    expect((await ask(lastRun())).status).toBe(402)
    expect(first.day()).toEqual(day)
    await practice.stop()
    expect(stored.state).toContain('402')

    await officeIn(office).start()
    expect((await ask(lastRun())).status).toBe(200)
    expect(practice.day()).toEqual({ dialects: [] })
  })

  test('has its bad day again, as shown, after it ended unexpectedly', { tags: ['full'] }, async () => {
    await officeIn(place().office, endsOnItsFirstDay).setDay({ dialects: [], refusal: '402' })
    await vi.waitFor(() => expect(runs.filter(Boolean)).toHaveLength(2), { timeout: 20_000 })
    expect(practice.day()).toMatchObject({ refusal: '402' })
    expect((await ask(lastRun())).status).toBe(402)
  })

  test('reports that it ended if the day can’t be set', async () => {
    await expect(officeIn(place().office, endsAtOnce).setDay({ dialects: [] })).rejects.toMatchObject({
      appError: { code: 'refused' }
    })
    expect(practice.day()).toEqual({ dialects: [] })
  })

  test('reports a failed start as an error of the contract', async () => {
    await expect(officeIn(place().office, endsAtOnce).start()).rejects.toMatchObject({ appError: { code: 'refused' } })
    expect(runs.filter(Boolean)).toEqual([])
  })

  test('is a single office, and can be stopped, after its first start ended at once', async () => {
    const marker = join(temporaryFolder(), 'ended')
    const endsOnce = new URL(
      `data:text/javascript,${encodeURIComponent(`
        import { existsSync, writeFileSync } from 'node:fs'
        const marker = ${JSON.stringify(marker)}
        if (!existsSync(marker)) {
          writeFileSync(marker, '')
          process.exit(1)
        }
        await import(${JSON.stringify(source.href)})
      `)}`
    )
    const office = officeIn(place().office, endsOnce)
    await expect(office.start()).rejects.toMatchObject({ appError: { code: 'refused' } })
    await office.start()
    await office.start()
    expect(runs.filter(Boolean)).toHaveLength(1)
    await office.stop()
    await expect(ask(runs.find(Boolean) as PracticeRun)).rejects.toThrow()
  })

  test('can be stopped before it is started', async () => {
    await officeIn(place().office).stop()
    expect(runs).toEqual([])
  })
})
