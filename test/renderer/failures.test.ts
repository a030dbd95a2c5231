/** Every failure of the main process as users read it, in the screens' single error notice. */
import { cleanup, render } from '@testing-library/svelte'
import { afterEach, describe, expect, test } from 'vitest'
import ErrorNotice from '../../src/renderer/src/ui/ErrorNotice.svelte'
import { presentError } from '../../src/renderer/src/words/errors.ts'
import { localErrorCodes, serviceErrorCodes } from '../../src/shared/contract/errors.ts'
import { failuresOfMain } from './failures.ts'

const { failures, computed } = failuresOfMain()
const unique = [...new Map(failures.map((one) => [`${one.error.code}: ${one.error.message}`, one.error])).entries()]

/** Codes for which there may be nothing to do: what happened is all there is to say. */
const END_OF_IT: readonly string[] = ['cancelled', 'not-allowed']

/** Files whose sentences contain names, counts or fields, and are checked by their own tests. */
const PUT_TOGETHER: ReadonlySet<string> = new Set([
  'src/main/core/accounts/accounts.ts',
  'src/main/core/accounts/client-certificates.ts',
  'src/main/core/accounts/credentials.ts',
  'src/main/core/actions/actions.ts',
  'src/main/core/actions/outgoing.ts',
  'src/main/core/appointments/found.ts',
  'src/main/core/backup/recovery-keys.ts',
  'src/main/core/backup/schedule.ts',
  'src/main/core/bulk/raw-table.ts',
  'src/main/core/counter/counter-settings.ts',
  'src/main/core/counter/idle-pictures.ts',
  'src/main/core/counter/interrupted-session.ts',
  'src/main/core/counter/next-signer.ts',
  'src/main/core/counter/pin.ts',
  'src/main/core/counter/prepare-turn.ts',
  'src/main/core/counter/staff.ts',
  'src/main/core/downloads/name-pattern.ts',
  'src/main/core/drafts/draft-link.ts',
  'src/main/core/drafts/drafts.ts',
  'src/main/core/drafts/exchange-file.ts',
  'src/main/core/drafts/shared-drafts.ts',
  'src/main/core/lib/failure.ts',
  'src/main/ipc/organisation.ts',
  'src/main/core/outbox/outbox.ts',
  'src/main/core/outbox/send-actions.ts',
  'src/main/core/service/network-failure.ts',
  'src/main/core/settings-file/settings-file.ts',
  'src/main/core/storage/chosen-file.ts',
  'src/main/shell/appointments.ts'
])

afterEach(cleanup)

describe('a failure of the main process, on the screen', () => {
  test.each(unique)('%s', (_title, error) => {
    const { container } = render(ErrorNotice, { error })
    const notice = container.querySelector('[role=alert]')
    notice?.querySelector('details')?.remove()
    const text = (notice?.textContent ?? '').replace(/\s+/g, ' ').trim()

    // The main process's sentence comes first, unchanged.
    expect(text.startsWith(error.message.trim())).toBe(true)
    const sentences = text.split(/(?<=[.:])\s+(?=[\p{Lu}“])/u)
    for (const sentence of sentences) expect(sentence).toMatch(/^[\p{Lu}“].*(?:[.:]|Mere)$/u)
    expect(new Set(sentences).size, 'nothing is said twice').toBe(sentences.length)
    expect(text, 'curly apostrophes').not.toMatch(/['"]/)
    expect(text, 'no machine text').not.toMatch(
      /\b(undefined|null|NaN|EACCES|ENOENT|[a-z]+-[a-z]+-[a-z]+ error)\b|\[object/
    )
    const { todo } = presentError(error)
    if (!END_OF_IT.includes(error.code)) expect(todo, 'a way on').not.toBe('')
  })

  test('every code has its own text, which claims nothing that a code can’t know', () => {
    for (const code of [...serviceErrorCodes, ...localErrorCodes]) {
      const { happened, meaning, todo } = presentError({ code, message: 'This happened.' })
      expect(happened).toBe('This happened.')
      // A code's words never claim what a code alone can't know.
      expect(`${meaning} ${todo}`).not.toMatch(/nothing was (sent|changed|done|saved|kept)/i)
    }
  })

  test('computed sentences occur only in files whose own tests check them', () => {
    expect([...new Set(computed)].filter((file) => !PUT_TOGETHER.has(file))).toEqual([])
  })
})
