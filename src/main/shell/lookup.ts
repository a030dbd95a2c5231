/** Where a name leads, as the browser sees it. */
import type { Session } from 'electron'
import type { Lookup } from '../core/policy/private-networks.ts'

/** Asks the browser's own resolver, so that what is judged is what is connected to. */
export function lookupIn(opened: Session): Lookup {
  return async (hostname) => {
    const route = await opened.resolveProxy(`https://${hostname}/`)
    if (!/^\s*DIRECT\b/i.test(route)) return 'elsewhere'
    const { endpoints } = await opened.resolveHost(hostname)
    return endpoints.map(({ address }) => address)
  }
}
