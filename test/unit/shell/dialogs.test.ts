import { expect, test, vi } from 'vitest'
import { dialogsOf } from '../../../src/main/shell/dialogs.ts'

const shown = vi.hoisted(() => [] as string[][])
vi.mock('electron', () => ({
  dialog: {
    async showOpenDialog(_window: unknown, { properties }: { properties: string[] }) {
      shown.push(properties)
      return { canceled: true, filePaths: [] }
    },
    async showSaveDialog(_window: unknown, { properties }: { properties: string[] }) {
      shown.push(properties)
      return { canceled: true, filePath: '' }
    }
  }
}))

test('nothing that is chosen is named among the files that were used lately, as its name says whom it is about', async () => {
  const window = { isDestroyed: () => false } as never
  const dialogs = dialogsOf(window)
  await dialogs.chooseFolder('Where to', () => true)
  await dialogs.chooseFiles('Which', [], () => true, 'many')
  await dialogs.chooseSaveFile('Save', 'portrait.png', [], () => true)
  expect(shown).toHaveLength(3)
  for (const properties of shown) expect(properties).toContain('dontAddToRecent')
})
