import { spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { openDatabase } from '../../../src/main/core/storage/database.ts'
import { temporaryFolder } from './folders.ts'
import { lastingKeychain } from './keychains.ts'

/** Starts a process that saves drafts one after another, and kills it right after it reports that the n-th is saved. */
async function saveAndKill(folder: string, key: string, from: number, killAfter: number): Promise<number> {
  const script = fileURLToPath(new URL('saving-drafts.ts', import.meta.url))
  const child = spawn(process.execPath, [script, folder, String(from)], {
    env: { PATH: process.env.PATH, DATABASE_KEY: key },
    stdio: ['ignore', 'pipe', 'inherit']
  })
  const ended = once(child, 'exit')
  let saved = from
  for await (const line of createInterface({ input: child.stdout })) {
    saved = Number(line)
    if (saved === from + killAfter) child.kill('SIGKILL')
  }
  const [, signal] = await ended
  expect(signal).toBe('SIGKILL')
  return saved
}

test('drafts reported as saved are still there after the application is killed at that moment, repeatedly', async () => {
  const folder = temporaryFolder()
  const key = randomBytes(32).toString('hex')
  let saved = 0
  for (const killAfter of [1, 7, 40, 200]) {
    saved = await saveAndKill(folder, key, saved, killAfter)
    const keychain = lastingKeychain(new Map([['database-key', key]]))
    const { db, state, setAside } = await openDatabase({ folder, keychain, random: randomBytes, clock: Date.now })
    expect({ state, setAside }).toEqual({ state: 'encrypted', setAside: undefined })
    const ids = db.prepare<[], string>('SELECT id FROM drafts').pluck().all()
    // One more may have been written without a report; none may be missing.
    for (let number = 1; number <= saved; number++) expect(ids).toContain(`draft ${number}`)
    expect(db.prepare(`SELECT count(*) FROM drafts WHERE NOT json_valid(body)`).pluck().get()).toBe(0)
    saved = ids.length
    db.close()
  }
})
