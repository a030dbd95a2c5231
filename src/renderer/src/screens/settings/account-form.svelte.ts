/** A new account as it is typed: what is missing, and the request made of it. */
import type { Input } from '../../../../shared/contract/requests.ts'
import type { AuthScheme } from '../../../../shared/contract/views.ts'

export type AccountField = 'name' | 'baseUrl' | 'key' | 'secret' | 'referer' | 'sender' | 'token'

export class AccountForm {
  name = $state('')
  baseUrl = $state('')
  scheme = $state<AuthScheme>('api-key')
  key = $state('')
  secret = $state('')
  referer = $state('')
  sender = $state('')
  token = $state('')

  /** What is wrong with each field, in the user's words. */
  get problems(): Partial<Record<AccountField, string>> {
    return {
      ...(!this.name.trim() && { name: 'Give the account a name, such as that of your office.' }),
      ...(!isAddress(this.baseUrl) && { baseUrl: 'Enter the address of the service, beginning with https://.' }),
      ...(this.scheme === 'api-key' && {
        ...(!this.key.trim() && { key: 'Enter the API key.' }),
        ...(!this.secret.trim() && { secret: 'Enter the secret that belongs to the key.' }),
        ...(!this.referer.trim() && { referer: 'Enter the access URL that was registered with the key.' }),
        ...(this.sender.trim() &&
          !this.sender.includes('@') && { sender: 'Enter an e-mail address, or leave it blank.' })
      }),
      ...(this.scheme === 'bearer' && !this.token.trim() && { token: 'Enter the token.' })
    }
  }

  get request(): Input<'accounts.add'> {
    const { name, baseUrl } = this
    if (this.scheme === 'none') return { kind: 'service', name, baseUrl, authentication: { scheme: 'none' } }
    if (this.scheme === 'bearer') {
      return { kind: 'service', name, baseUrl, authentication: { scheme: 'bearer', token: this.token.trim() } }
    }
    const sender = this.sender.trim()
    return {
      kind: 'service',
      name,
      baseUrl,
      authentication: {
        scheme: 'api-key',
        key: this.key.trim(),
        secret: this.secret.trim(),
        referer: this.referer,
        ...(sender && { sender })
      }
    }
  }

  /** Secrets don't stay in the page once they are handed over. */
  forgetSecrets(): void {
    this.secret = ''
    this.token = ''
  }
}

function isAddress(typed: string): boolean {
  try {
    return ['https:', 'http:'].includes(new URL(typed.trim()).protocol)
  } catch {
    return false
  }
}
