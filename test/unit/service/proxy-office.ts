/** An office behind a proxy that requires a sign-in. */
import { openProxySignIns } from '../../../src/main/core/service/proxy-sign-in.ts'
import { memoryKeychain } from '../../../src/main/core/storage/keychain.ts'

export const OFFICE = { isProxy: true, host: 'proxy.office.example', port: 8080 }
export const NAME = 'proxy.office.example:8080'
export const GRACE = { user: 'grace', password: 'made up' }

export function opened(slot = memoryKeychain().proxies) {
  let changes = 0
  const signIns = openProxySignIns({ slot, changed: () => void changes++ })
  return { signIns, slot, changes: () => changes }
}

/** Returns the office after a person has signed in. */
export async function signedIn() {
  const made = opened()
  const { answer, finish } = made.signIns.forRequest()
  await answer(OFFICE)
  finish('failed')
  await made.signIns.signIn(GRACE)
  return made
}
