import { join } from 'node:path'
import { expect, test, vi } from 'vitest'
import { dialogsOf } from '../../../src/main/shell/dialogs.ts'

type Shown = { properties: string[]; defaultPath?: string }
const { shown, chosen } = vi.hoisted(() => ({ shown: [] as Shown[], chosen: { path: '' } }))
vi.mock('electron', () => ({
  dialog: {
    async showOpenDialog(_window: unknown, options: Shown) {
      shown.push(options)
      return { canceled: chosen.path === '', filePaths: chosen.path ? [chosen.path] : [] }
    },
    async showSaveDialog(_window: unknown, options: Shown) {
      shown.push(options)
      return { canceled: chosen.path === '', filePath: chosen.path }
    }
  }
}))

function opened() {
  const stored = new Map<string, string>()
  shown.length = 0
  chosen.path = ''
  const meta = { read: (key: string) => stored.get(key), write: (key: string, value: string) => stored.set(key, value) }
  return dialogsOf({ isDestroyed: () => false } as never, meta as never)
}

test('chosen files are kept out of the system’s list of recent files, as their names may identify people', async () => {
  const dialogs = opened()
  await dialogs.chooseFolder('Where to', () => true)
  await dialogs.chooseFiles('Which', [], () => true, 'many')
  await dialogs.chooseSaveFile('Save', 'portrait.png', [], () => true)
  expect(shown).toHaveLength(3)
  for (const { properties } of shown) expect(properties).toContain('dontAddToRecent')
})

test('each purpose starts in the folder it was last used with, and no other does', async () => {
  const dialogs = opened()
  chosen.path = join('/office', 'sheets', 'clients.csv')
  await dialogs.chooseFiles('Which', [], () => true)
  await dialogs.chooseSaveFile('Save', 'portrait.png', [], () => true)
  chosen.path = join('/office', 'drop')
  await dialogs.chooseFolder('Where to', () => true)
  shown.length = 0
  chosen.path = ''
  await dialogs.chooseFiles('Which', [], () => true)
  await dialogs.chooseSaveFile('Save', 'other.png', [], () => true)
  await dialogs.chooseFolder('Where to', () => true)
  await dialogs.chooseFolder('Watch', () => true)
  const sheets = join('/office', 'sheets')
  expect(shown.map(({ defaultPath }) => defaultPath)).toEqual([
    sheets,
    join(sheets, 'other.png'),
    join('/office', 'drop'),
    undefined
  ])
})

test('a cancelled choice, or one whose page has gone, isn’t remembered', async () => {
  const dialogs = opened()
  chosen.path = '/office/drop'
  await dialogs.chooseFolder('Where to', () => false)
  await dialogs.chooseFolder('Where to', () => true)
  expect(shown[1]?.defaultPath).toBeUndefined()
})
