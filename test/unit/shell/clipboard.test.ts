import { beforeEach, expect, test, vi } from 'vitest'
import { ClipboardStash, plainClipboard } from '../../../src/main/shell/clipboard.ts'

const clipboard = vi.hoisted(() => {
  const board = () => {
    const content = {
      text: '',
      isReadable: true,
      async readText() {
        if (!content.isReadable) throw new Error('There is something that can’t be read.')
        return content.text
      },
      async writeText(text: string) {
        content.text = text
      },
      clear() {
        content.text = ''
      }
    }
    return content
  }
  return Object.assign(board(), { selection: board() })
})
const { ClipboardItem } = vi.hoisted(() => ({
  ClipboardItem: class {
    readonly items: Readonly<Record<string, string | Blob>>
    constructor(items: Readonly<Record<string, string | Blob>>) {
      this.items = items
    }
  }
}))
vi.mock('electron', () => ({ clipboard, ClipboardItem }))

beforeEach(() => {
  Object.assign(clipboard, { text: 'of the office', isReadable: true })
  clipboard.selection.text = 'marked'
})

test('the clipboard’s content is out of reach while a person signs, and staff get it back afterwards', async () => {
  const stash = new ClipboardStash('linux')
  await stash.stash()
  expect([clipboard.text, clipboard.selection.text]).toEqual(['', ''])
  clipboard.text = 'of the person'
  clipboard.selection.text = 'of the person'
  await stash.restore()
  expect([clipboard.text, clipboard.selection.text]).toEqual(['of the office', ''])
})

test('unreadable content is cleared all the same, and so is what the person left', async () => {
  const stash = new ClipboardStash('linux')
  clipboard.isReadable = false
  await expect(stash.stash()).rejects.toThrow('read')
  expect([clipboard.text, clipboard.selection.text]).toEqual(['', ''])
  clipboard.text = 'of the person'
  await stash.restore()
  expect(clipboard.text).toBe('')
})

test('stashing twice keeps the staff’s text, not the person’s', async () => {
  const stash = new ClipboardStash('linux')
  await stash.stash()
  clipboard.text = 'of the person'
  await stash.stash()
  expect(clipboard.text).toBe('')
  await stash.restore()
  expect(clipboard.text).toBe('of the office')
})

test('staff keep their content if it is restored before it was read', async () => {
  const stash = new ClipboardStash('linux')
  await Promise.all([stash.stash(), stash.restore()])
  expect(clipboard.text).toBe('of the office')
})

test('without a stash nothing is touched, and a missing primary selection isn’t read', async () => {
  const stash = new ClipboardStash('win32')
  await stash.restore()
  expect(clipboard.text).toBe('of the office')
  stash.empty()
  expect([clipboard.text, clipboard.selection.text]).toEqual(['', 'marked'])
})

test('private content is marked so that the system leaves it out of its history', async () => {
  const written: InstanceType<typeof ClipboardItem>[] = []
  Object.assign(clipboard, { write: async (items: typeof written) => void written.push(...items) })
  await plainClipboard.writePrivately('LM123456')
  const { 'text/plain': text, ...marks } = written[0]?.items ?? {}
  expect(text).toBe('LM123456')
  const names = {
    win32: [
      'ExcludeClipboardContentFromMonitorProcessing',
      'CanIncludeInClipboardHistory',
      'CanUploadToCloudClipboard'
    ],
    darwin: ['org.nspasteboard.ConcealedType', 'org.nspasteboard.TransientType'],
    linux: ['x-kde-passwordManagerHint']
  }[process.platform as 'linux']
  expect(Object.keys(marks)).toEqual(names.map((name) => `electron application/osclipboard;format="${name}"`))
})
