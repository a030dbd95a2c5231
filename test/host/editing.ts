// Cut, copy, paste and similar commands that the application runs in a page, with the host's clipboard.

import type { CdpSession } from './cdp.ts'
import { clipboard } from './clipboard.ts'

/** The browser's own editing commands, applied where the person is typing. */
export type EditCommand = 'undo' | 'redo' | 'selectAll' | 'delete'

export async function edit(page: CdpSession, command: EditCommand): Promise<void> {
  await page.send('Input.dispatchKeyEvent', { type: 'rawKeyDown', commands: [command] })
}

export async function copy(page: CdpSession): Promise<void> {
  const { result } = await page.send('Runtime.evaluate', { expression: 'String(getSelection())', returnByValue: true })
  if (result.value) clipboard.writeText(String(result.value))
}

export async function cut(page: CdpSession): Promise<void> {
  await copy(page)
  await edit(page, 'delete')
}

export async function paste(page: CdpSession): Promise<void> {
  await page.send('Input.insertText', { text: await clipboard.readText() })
}
