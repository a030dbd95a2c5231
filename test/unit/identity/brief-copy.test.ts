import { beforeEach, expect, test } from 'vitest'
import { type BriefCopy, COPY_LIFETIME, openBriefCopy } from '../../../src/main/core/identity/brief-copy.ts'

let there: string
let isAside: boolean
/** Holds back the write of a text until it is resolved. */
let held: Map<string, Promise<void>>
let task: (() => void) | undefined
let brief: BriefCopy

beforeEach(() => {
  there = 'before'
  isAside = false
  held = new Map()
  task = undefined
  brief = openBriefCopy({
    clipboard: {
      read: async () => there,
      write: async (text) => {
        await held.get(text)
        there = text
      },
      clear: () => {
        there = ''
      }
    },
    isUsedBySigner: () => isAside,
    time: {
      after(_delay, run) {
        task = run
        return () => {
          if (task === run) task = undefined
        }
      }
    }
  })
})
async function passes() {
  const run = task
  task = undefined
  run?.()
  await new Promise((done) => setImmediate(done))
}

test('copied identity data is removed from the clipboard automatically', async () => {
  expect(await brief.copy('DX418220')).toBe(COPY_LIFETIME)
  expect(there).toBe('DX418220')
  await passes()
  expect(there).toBe('')
})

test('what someone copied in the meantime stays', async () => {
  await brief.copy('DX418220')
  there = 'a shopping list'
  await passes()
  expect(there).toBe('a shopping list')
})

test('a second copy has its own time limit', async () => {
  await brief.copy('one')
  const first = task
  await brief.copy('two')
  expect(task).not.toBe(first)
  await passes()
  expect(there).toBe('')
})

test('of two copies at once the later one is there, and is removed', async () => {
  const first = Promise.withResolvers<void>()
  held.set('one', first.promise)
  const copies = [brief.copy('one'), brief.copy('two')]
  await new Promise((done) => setImmediate(done))
  first.resolve()
  await Promise.all(copies)
  expect(there).toBe('two')
  await passes()
  expect(there).toBe('')
})

test('a copy that is being made when the application ends is removed, too', async () => {
  const write = Promise.withResolvers<void>()
  held.set('DX418220', write.promise)
  const copying = brief.copy('DX418220')
  const ending = brief.end()
  write.resolve()
  await Promise.all([copying, ending])
  expect(there).toBe('')
})

test('if the clipboard is set aside while a person has the screen, the copy is removed afterwards', async () => {
  await brief.copy('DX418220')
  isAside = true
  there = 'what the person copied'
  await passes()
  expect(there).toBe('what the person copied')
  isAside = false
  there = 'DX418220'
  await passes()
  expect(there).toBe('')
})

test('the copy is removed when the application ends, and nothing else is', async () => {
  await brief.copy('DX418220')
  await brief.end()
  expect([there, task]).toEqual(['', undefined])
  there = 'later'
  await brief.end()
  expect(there).toBe('later')
})
