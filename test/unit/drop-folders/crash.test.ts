/**
 * The application ends between any two steps of processing a file: after the next start the file has become exactly one
 * thing.
 */
import { renameSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import type { StepName } from '../../../src/main/core/drop-folders/journal.ts'
import { requestFile, sheetFile } from '../../fixtures/drop-folder-office.ts'
import { cases } from '../../property-seed.ts'
import { aPlace } from './place.ts'

const STEPS: StepName[] = ['noted', 'claimed', 'read', 'made', 'named', 'reported', 'moved']
/** Nothing after a step happens, which is what a kill looks like from the disk. */
const never = () => new Promise<void>(() => undefined)

async function killedAt(fatal: StepName, name: string, content: string, sends: boolean) {
  let reached: () => void = () => undefined
  const atStep = new Promise<void>((resolve) => {
    reached = resolve
  })
  const at = await aPlace({
    step: (step) => {
      if (step !== fatal) return
      reached()
      return never()
    }
  })
  at.change({ sends })
  at.drop(name, content)
  void at.check()
  await atStep
  at.startAgain({ step: () => undefined })
  return at
}

const kinds: [what: string, name: string, content: string, sends: boolean][] = [
  ['a draft', 'a.json', requestFile('A'), false],
  ['a batch', 'a.csv', sheetFile(['A', 'B']), true],
  ['a report', 'a.json', '{', false]
]

test('differences in reading are still reported if the application ends after creating the package', async () => {
  let stop: () => void = () => undefined
  const stopped = new Promise<void>((resolve) => {
    stop = resolve
  })
  const at = await aPlace({
    step(name) {
      if (name !== 'made') return
      // The state between the two steps.
      at.office.db.exec("UPDATE drop_folder_files SET state = 'claimed', outcome = NULL, count = 0")
      stop()
      return never()
    }
  })
  at.change({ sends: true })
  at.drop('a.json', requestFile('A').replace('EmbedForm', 'embedform'))
  void at.check()
  await stopped
  at.startAgain({ step: () => undefined })
  await at.check()
  expect(at.office.batches()).toHaveLength(1)
  expect(at.report('a.json')).toContain('“embedform” was read as “EmbedForm”.')
})

describe.each(kinds)('a file that becomes %s', (_what, name, content, sends) => {
  test.each(STEPS)('does so once if the application ends at “%s”', async (fatal) => {
    const at = await killedAt(fatal, name, content, sends)
    await at.check()
    await at.check()
    const isFailed = content === '{'
    expect(at.office.titles()).toEqual(!isFailed && !sends ? ['A'] : [])
    expect(at.office.batches().map(({ total }) => total)).toEqual(sends ? [2] : [])
    expect(at.names()).toEqual([])
    expect(at.names(isFailed ? 'failed' : 'done')).toEqual([name, `${name}.report.txt`])
    expect(at.report(name, isFailed ? 'failed' : 'done')).toContain(
      isFailed ? 'Nothing was created' : sends ? '2 packages went to the Outbox' : '1 draft was created'
    )
    expect(at.files()).toHaveLength(1)
    expect(at.office.notified.troubles).toEqual([])
  })

  test.each(STEPS)('does so once per drop if it is dropped again after a crash at “%s”', async (fatal) => {
    const at = await killedAt(fatal, name, content, sends)
    rmSync(join(at.place, name), { force: true })
    at.drop(name, content)
    await at.check()
    await at.check()
    // A second file counts as the same one only until the first is claimed.
    const times = fatal === 'noted' ? 1 : 2
    expect(at.files()).toHaveLength(times)
    expect(at.names()).toEqual([])
  })

  test.each(STEPS)('isn’t mixed up with another of the same name after a crash at “%s”', async (fatal) => {
    const at = await killedAt(fatal, name, content, sends)
    rmSync(join(at.place, name), { force: true })
    at.drop(name, name.endsWith('csv') ? sheetFile(['C']) : requestFile('C'))
    await at.check()
    await at.check()
    const wasClaimed = fatal !== 'noted'
    expect(at.files()).toHaveLength(wasClaimed ? 2 : 1)
    if (!sends) expect(at.office.titles()).toContain('C')
    else expect(at.office.batches().map(({ total }) => total)).toEqual(wasClaimed ? [1, 2] : [1])
    expect(at.names()).toEqual([])
  })
})

test('a file replaced just before it is moved away is processed, too', async () => {
  let replace = () => {}
  const at = await aPlace({ step: (step) => (step === 'reported' ? replace() : undefined) })
  at.drop('a.json', requestFile('A'))
  replace = () => {
    replace = () => {}
    writeFileSync(join(at.place, 'b.tmp'), requestFile('B'))
    renameSync(join(at.place, 'b.tmp'), join(at.place, 'a.json'))
  }
  await at.check()
  await at.check()
  expect(at.office.titles().sort()).toEqual(['A', 'B'])
  expect(at.names()).toEqual([])
})

test('with any files and any crash, each file becomes one draft or one report', async () => {
  const anyDrop = fc.record({
    name: fc.constantFrom('a', 'b', 'c'),
    isBad: fc.boolean(),
    fatal: fc.constantFrom(...STEPS, undefined)
  })
  await fc.assert(
    fc.asyncProperty(fc.array(anyDrop, { minLength: 1, maxLength: 6 }), async (drops) => {
      let fatal: StepName | undefined
      let died: () => void = () => undefined
      const step = (name: StepName) => {
        if (name !== fatal) return
        died()
        return never()
      }
      const at = await aPlace({ step })
      let number = 0
      for (const drop of drops) {
        fatal = drop.fatal
        const content = requestFile(`Package ${++number}`)
        at.drop(`${drop.name}${number}.json`, drop.isBad ? content.slice(0, -1) : content)
        const dead = new Promise<void>((resolve) => {
          died = resolve
        })
        await Promise.race([at.check(), dead])
        if (fatal) at.startAgain()
      }
      fatal = undefined
      at.startAgain()
      await at.check()
      await at.check()
      const good = drops.filter(({ isBad }) => !isBad).length
      expect([at.office.titles().length, at.view().failed, at.names()]).toEqual([good, drops.length - good, []])
    }),
    { numRuns: cases(8) }
  )
})
