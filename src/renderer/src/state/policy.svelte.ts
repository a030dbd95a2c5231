/** What the organisation has set for this computer, for the screens on which it could be set otherwise. */
import { untrack } from 'svelte'
import type { Lockable, PolicyView } from '../../../shared/contract/policy.ts'
import type { Api } from '../api.ts'
import { Resource } from './resource.svelte.ts'

class OrganisationPolicy extends Resource<PolicyView> {
  /** How many digits a PIN has at least. Where the policy can't be read, as while someone signs, main says it. */
  get leastDigits(): number {
    return this.value?.pinDigits ?? 4
  }

  isLocked(setting: Lockable): boolean {
    return this.value?.locked.includes(setting) ?? false
  }

  /** Whether an account's name, address and sign-in are the organisation's. */
  hasAccount(id: string | undefined): boolean {
    return id !== undefined && (this.value?.accountIds.includes(id) ?? false)
  }

  /** Whether an account's colour is the organisation's. */
  hasColour(id: string | undefined): boolean {
    return id !== undefined && (this.value?.colouredIds.includes(id) ?? false)
  }
}

export type { OrganisationPolicy }

/** To be called while a component is made: read, and followed as long as it is there. */
export function usePolicy({ api }: { api: Api }): OrganisationPolicy {
  const policy = new OrganisationPolicy(() => api.policy.get())
  $effect(() =>
    untrack(() => {
      void policy.load()
      return api.on('settings.changed', policy.follow)
    })
  )
  return policy
}
