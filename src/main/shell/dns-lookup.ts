/** Resolves host names as the browser does. */
import type { Session } from 'electron'
import type { Lookup } from '../core/policy/private-networks.ts'

/**
 * Asks the browser's own resolver, so that the address judged is the one connected to. If the list of proxies contains
 * `DIRECT`, this computer connects by itself as soon as they fail, so that address is judged, too.
 */
export function lookupIn(opened: Pick<Session, 'resolveProxy' | 'resolveHost'>): Lookup {
  return async (hostname) => {
    const route = await opened.resolveProxy(`https://${hostname}/`)
    const routes = route.split(';').map((way) => way.trim().toUpperCase())
    if (!routes.includes('DIRECT')) return 'elsewhere'
    try {
      const { endpoints } = await opened.resolveHost(hostname)
      return endpoints.map(({ address }) => address)
    } catch (error) {
      // In many offices only the proxies can resolve names: nothing can then bypass them either.
      if (routes[0] !== 'DIRECT') return 'elsewhere'
      throw error
    }
  }
}
