/** Hands things to other programs: a file to show in its folder, a plain web address. */
import { shell } from 'electron'
import type { Account } from '../core/accounts/account.ts'
import { fail } from '../core/lib/failure.ts'
import { checkExternalLink } from '../core/policy/external-links.ts'

/** Shows a file in its folder. @param path absolute path of a file that we wrote; never one from a page. */
export function showInFolder(path: string): void {
  shell.showItemInFolder(path)
}

/**
 * Opens an address in the system's browser.
 * @param account the account that the address is said to belong to: its own host may be inside the office's network.
 * @throws AppFailure `unsafe-address` if the address isn't a plain web address.
 */
export async function openOutside(address: string, account: Pick<Account, 'baseUrl'> | undefined): Promise<void> {
  const link = checkExternalLink(address, ownAddresses(account))
  if (!link.ok)
    fail('unsafe-address', 'This link isn’t a plain web address of the signing service, so it wasn’t opened.')
  await shell.openExternal(link.href)
}

function ownAddresses(account: Pick<Account, 'baseUrl'> | undefined): { host?: string; practiceOrigin?: string } {
  if (!account?.baseUrl) return {}
  const { protocol, host, origin } = new URL(account.baseUrl)
  return protocol === 'http:' ? { practiceOrigin: origin } : { host }
}
