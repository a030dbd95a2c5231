/** Where a name leads, as the browser sees it. */
import type { Session } from 'electron'
import type { Lookup } from '../core/policy/private-networks.ts'

/**
 * Asks the browser's own resolver, so that what is judged is what is connected to. Where a list of proxies has `DIRECT` in it, this machine connects as soon as
 * they fail: what it would connect to is judged, too.
 */
export function lookupIn(opened: Pick<Session, 'resolveProxy' | 'resolveHost'>): Lookup {
  return async (hostname) => {
    const route = await opened.resolveProxy(`https://${hostname}/`)
    const ways = route.split(';').map((way) => way.trim().toUpperCase())
    if (!ways.includes('DIRECT')) return 'elsewhere'
    try {
      const { endpoints } = await opened.resolveHost(hostname)
      return endpoints.map(({ address }) => address)
    } catch (error) {
      // In many offices the proxies alone can resolve names: then nothing goes past them either.
      if (ways[0] !== 'DIRECT') return 'elsewhere'
      throw error
    }
  }
}
