import { expect, test } from 'vitest'
import { Pending } from '../../src/renderer/src/state/pending.svelte.ts'

test('a choice is saved, and no longer shown, although saving the one before it threw', async () => {
  const pending = new Pending<number>()
  const failed = pending.save(1, () => Promise.reject(new Error('Not saved.')))
  const saved = pending.save(2, async () => 'saved')
  expect(pending.value).toBe(2)
  await expect(failed).rejects.toThrow('Not saved.')
  expect(await saved).toBe('saved')
  expect(pending.value).toBeUndefined()
})
