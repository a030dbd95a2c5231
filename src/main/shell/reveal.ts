/** What is handed to other programs: a file to show in its folder, a plain web address, text for the clipboard. */
import { clipboard, shell } from 'electron'
import { fail } from '../core/failure.ts'
import { externalLink } from '../core/policy/external-links.ts'

/** @param path absolute path of a file that we wrote ourselves; never one from a page. */
export function showInFolder(path: string): void {
  shell.showItemInFolder(path)
}

/**
 * Opens an address in the system's browser.
 * @param own as in `externalLink`.
 * @throws AppFailure `unsafe-address` where the address isn't a plain web address.
 */
export async function openOutside(address: string, own: { host?: string; practiceOrigin?: string }): Promise<void> {
  const link = externalLink(address, own)
  if (!link.ok)
    fail('unsafe-address', 'This link isn’t a plain web address of the signing service, so it wasn’t opened.')
  await shell.openExternal(link.href)
}

/** Puts text on the clipboard. */
export async function copy(text: string): Promise<void> {
  await clipboard.writeText(text)
}
