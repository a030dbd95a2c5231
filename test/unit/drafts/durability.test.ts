import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { describe, expect, test } from 'vitest'
import { form, forms } from '../../fixtures/compositions.ts'
import { temporaryFolder } from '../storage/folders.ts'
import { failureOf, onDisk, openOffice } from './office.ts'

/**
 * Starts a process that saves one draft repeatedly, and kills it right after it reports that the n-th change is saved.
 */
async function saveAndKill(path: string, id: string, from: number, killAfter: number): Promise<number> {
  const script = fileURLToPath(new URL('saving-until-killed.ts', import.meta.url))
  const child = spawn(process.execPath, [script, path, id, String(from)], {
    env: { PATH: process.env.PATH },
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

test('a saved draft survives killing the application immediately afterwards, and can be searched', async () => {
  const path = join(temporaryFolder(), 'office.db')
  const { drafts, db } = openOffice(onDisk(path))
  const { id } = drafts.save('a', forms({ items: [form({ Name: 'Change 0' })] }))
  let saved = 0
  for (const killAfter of [1, 8, 60]) {
    saved = await saveAndKill(path, id, saved, killAfter)
    const present = Number(/Change (\d+)/.exec(drafts.get(id).title)?.[1])
    // One more may have been written without a report; none may be missing.
    expect([saved, saved + 1]).toContain(present)
    expect(drafts.list(['a'], { search: `change ${present}` }).rows.map((row) => row.id)).toContain(id)
    for (let number = 1; number <= saved; number++) {
      expect(drafts.list(['a'], { search: `draft ${number}` }).total).toBeGreaterThan(0)
    }
    expect(db.pragma('integrity_check', { simple: true })).toBe('ok')
  }
})

describe('when the disk fills up while typing', () => {
  function fullOffice() {
    const office = openOffice(onDisk())
    const { id } = office.drafts.save('a', forms({ items: [form({ Name: 'Before' })] }))
    office.db.pragma(`max_page_count = ${office.db.pragma('page_count', { simple: true })}`)
    return { office, id }
  }
  const large = forms({ items: [form({ Name: 'After', XMLData: `<p>${'words and more words '.repeat(50_000)}</p>` })] })

  test('the error says so, and the draft and its index stay as they were', () => {
    const { office, id } = fullOffice()
    expect(failureOf(() => office.drafts.save('a', large, id)).code).toBe('no-space')
    expect(office.drafts.get(id).title).toBe('Before')
    expect(office.drafts.list(['a'], { search: 'before' }).total).toBe(1)
    expect(office.drafts.list(['a'], { search: 'after' }).total).toBe(0)
    expect(office.db.pragma('integrity_check', { simple: true })).toBe('ok')
  })

  test('no incomplete version is added to the history', () => {
    const { office, id } = fullOffice()
    office.time.now += 60 * 60_000
    expect(failureOf(() => office.drafts.save('a', large, id)).code).toBe('no-space')
    expect(office.drafts.history(id)).toEqual([])
  })

  test('the same save succeeds once there is space', () => {
    const { office, id } = fullOffice()
    expect(failureOf(() => office.drafts.save('a', large, id)).code).toBe('no-space')
    office.db.pragma('max_page_count = 1000000')
    office.drafts.save('a', large, id)
    expect(office.drafts.get(id).composition).toEqual(large)
  })
})
