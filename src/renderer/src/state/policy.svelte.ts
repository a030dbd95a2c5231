/** What the organisation has set for this computer, for the screens that contain those settings. */
import type { Lockable, PolicyView } from '../../../shared/contract/policy.ts'
import type { Api } from '../api.ts'
import { Resource } from './resource.svelte.ts'

class OrganisationPolicy extends Resource<PolicyView> {
  /**
   * The minimum number of digits of a PIN. If the policy can't be loaded, as while someone signs, the main process
   * enforces it.
   */
  get minDigits(): number {
    return this.value?.pinDigits ?? 4
  }

  isLocked(setting: Lockable): boolean {
    return this.value?.locked.includes(setting) ?? false
  }

  /** Whether the organisation sets the account's name, address and sign-in. */
  managesAccount(id: string | undefined): boolean {
    return id !== undefined && (this.value?.accountIds.includes(id) ?? false)
  }

  /** Whether the organisation sets the account's colour. */
  managesColour(id: string | undefined): boolean {
    return id !== undefined && (this.value?.colouredIds.includes(id) ?? false)
  }
}

export type { OrganisationPolicy }

/** Loads the policy and follows it for the life of the component. Call it during component initialisation. */
export function usePolicy({ api }: { api: Api }): OrganisationPolicy {
  return new OrganisationPolicy(() => api.policy.get()).whileShown(api, 'settings.changed')
}
