/** The form for a new or changed account: its values, its errors, and the resulting request. */

import type { OrganisationsOAuth } from '../../../../shared/contract/policy.ts'
import type { Input } from '../../../../shared/contract/requests.ts'
import type { AccountView, AuthScheme } from '../../../../shared/contract/views.ts'
import { USUAL_DATA_TYPE_SPELLING } from '../../../../shared/contract/views.ts'

type Authentication = Extract<Input<'accounts.add'>, { kind: 'service' }>['authentication']
type AuthenticationChange = NonNullable<Input<'accounts.update'>['authentication']>

export type AccountField =
  | 'name'
  | 'baseUrl'
  | 'key'
  | 'secret'
  | 'referer'
  | 'sender'
  | 'token'
  | 'user'
  | 'password'
  | 'headers'
  | 'clientId'
  | 'clientSecret'
  | 'issuer'
  | 'authorizeUrl'
  | 'tokenUrl'
  | 'revokeUrl'
  | 'scope'
  | 'folders'
  | 'certificate'

/** A header as typed. */
interface TypedHeader {
  name: string
  value: string
}
export const MAX_HEADERS = 10

const MAX_FOLDERS = 20
const MAX_FOLDER_LENGTH = 200

export class AccountForm {
  name = $state('')
  baseUrl = $state('')
  scheme = $state<AuthScheme>('api-key')
  key = $state('')
  secret = $state('')
  referer = $state('')
  sender = $state('')
  token = $state('')
  /** Whether the key's headers are sent in addition to the token. */
  hasExtraKey = $state(false)
  user = $state('')
  password = $state('')
  headers = $state<TypedHeader[]>([{ name: '', value: '' }])
  /** Whether a person signs in with the browser, or Countersign with the client secret. */
  grant = $state<'code' | 'client'>('code')
  clientId = $state('')
  clientSecret = $state('')
  /** Whether the addresses of the sign-in service are entered, instead of the one used to discover them. */
  typesAddresses = $state(false)
  issuer = $state('')
  authorizeUrl = $state('')
  tokenUrl = $state('')
  revokeUrl = $state('')
  scope = $state('')
  /** The certificate shown; null for none, undefined if unchanged. */
  certificate = $state.raw<Input<'accounts.try'>['certificate']>()
  /** The folder names, one a line. */
  folders = $state('')
  dataTypeSpelling = $state(USUAL_DATA_TYPE_SPELLING)
  readonly #original: AccountView | undefined
  #isSetByOrganisation = $state(false)
  /** The completed sign-in, with the fields' values at that time. */
  #completedSignIn = $state.raw<{ id: string; by: string }>()

  /** @param original the account to change: its secrets aren't known here, and are kept unless new ones are entered. */
  constructor(original?: AccountView) {
    this.#original = original
    if (!original) return
    this.name = original.name
    this.baseUrl = original.baseUrl
    this.scheme = original.scheme
    this.folders = original.folders.join('\n')
    this.dataTypeSpelling = original.dataTypeSpelling
  }

  /** Fills in the sign-in set by the organisation: only the client secret is left to enter. */
  setByOrganisation(oauth: OrganisationsOAuth): void {
    this.#isSetByOrganisation = true
    this.grant = oauth.grant
    this.clientId = oauth.clientId
    this.typesAddresses = oauth.issuer === undefined
    this.issuer = oauth.issuer ?? ''
    this.authorizeUrl = oauth.authorizeUrl ?? ''
    this.tokenUrl = oauth.tokenUrl ?? ''
    this.revokeUrl = oauth.revokeUrl ?? ''
    this.scope = oauth.scope ?? ''
  }

  /** Whether sign-in stays unchanged: nothing else was chosen or entered, and the secret is stored. */
  get keepsSecrets(): boolean {
    const { key, secret, referer, sender, token, user, password, headers } = this
    const extraKey = this.hasExtraKey ? [key, secret, referer, sender] : []
    const addresses = this.typesAddresses ? [this.authorizeUrl, this.tokenUrl, this.revokeUrl] : [this.issuer]
    const typed = {
      none: [],
      'api-key': [key, secret, referer, sender],
      bearer: [token, ...extraKey],
      basic: [user, password],
      headers: headers.flatMap(({ name, value }) => [name, value]),
      oauth: this.#isSetByOrganisation
        ? [this.clientSecret, ...extraKey]
        : [this.clientId, this.clientSecret, ...addresses, this.scope, ...extraKey]
    }
    return this.canKeepSecrets && typed[this.scheme].every((one) => !one.trim())
  }
  /** Whether the key stays while another part of the sign-in changes: blank fields are kept too. */
  get keepsKey(): boolean {
    return this.canKeepSecrets && this.scheme === 'api-key' && !this.key.trim()
  }
  /** Whether blank fields may mean "unchanged". */
  get canKeepSecrets(): boolean {
    const { scheme } = this
    if (this.#original?.scheme !== scheme) return false
    return (
      scheme === 'none' || (this.#original.hasSecret && originOf(this.baseUrl) === originOf(this.#original.baseUrl))
    )
  }

  /** The error of each field, in the user's words. */
  get problems(): Partial<Record<AccountField, string>> {
    return {
      ...(!this.name.trim() && { name: 'Enter a name, such as your office’s.' }),
      ...(!this.baseUrl.trim() && { baseUrl: 'Enter the service address, starting with https://.' }),
      ...(this.#asksForKey && {
        ...(!this.key.trim() && { key: 'Enter the API key.' }),
        ...(!this.secret.trim() && { secret: 'Enter the secret for this key.' }),
        ...(!this.referer.trim() && { referer: 'Enter the access URL registered with the key.' })
      }),
      ...((this.scheme === 'api-key' || this.#asksForKey) &&
        this.sender.trim() &&
        !this.sender.includes('@') && { sender: 'Enter an e-mail address, or leave it blank.' }),
      ...(this.#original && this.#foldersProblem !== undefined && { folders: this.#foldersProblem }),
      ...(this.scheme === 'bearer' && !this.keepsSecrets && !this.token.trim() && { token: 'Enter the token.' }),
      ...(this.scheme === 'basic' &&
        !this.keepsSecrets && {
          ...(!this.user.trim() && { user: 'Enter the user name.' }),
          ...(!this.password && { password: 'Enter the password.' })
        }),
      ...(this.scheme === 'headers' &&
        !this.keepsSecrets &&
        this.#headersProblem !== undefined && { headers: this.#headersProblem }),
      ...(this.scheme === 'oauth' && !this.keepsSecrets && this.#oauthProblems)
    }
  }

  /** Whether a key is required, by itself or in addition to a token. */
  get #asksForKey(): boolean {
    if (this.allowsExtraKey) return this.hasExtraKey && !this.keepsSecrets
    return this.scheme === 'api-key' && !this.keepsKey
  }

  /** Whether the sign-in method allows a key's headers in addition to its token. */
  get allowsExtraKey(): boolean {
    return this.scheme === 'bearer' || this.scheme === 'oauth'
  }

  get #oauthProblems(): Partial<Record<AccountField, string>> {
    return {
      ...(!this.clientId.trim() && { clientId: 'Enter the client ID.' }),
      ...(this.grant === 'client' && !this.clientSecret && { clientSecret: 'Enter the client secret.' }),
      ...(!this.typesAddresses && !this.issuer.trim() && { issuer: 'Enter the address of the sign-in service.' }),
      ...(this.typesAddresses && {
        ...(this.grant === 'code' &&
          !this.authorizeUrl.trim() && { authorizeUrl: 'Enter the address of the sign-in page.' }),
        ...(!this.tokenUrl.trim() && { tokenUrl: 'Enter the address for tokens.' })
      })
    }
  }

  /**
   * What the user must sign in with before the account can be tried; undefined if that isn't needed or already done.
   */
  get pendingSignIn(): Input<'accounts.signIn'>['authentication'] | undefined {
    if (this.scheme !== 'oauth' || this.grant !== 'code' || this.keepsSecrets) return undefined
    return this.#completedSignIn?.by === JSON.stringify(this.#client) ? undefined : this.#client
  }
  /**
   * Records a completed sign-in.
   * @param id the id of the sign-in done with `by`.
   */
  recordSignIn(id: string, by: Input<'accounts.signIn'>['authentication']): void {
    this.#completedSignIn = { id, by: JSON.stringify(by) }
  }

  get #client(): Input<'accounts.signIn'>['authentication'] {
    const [scope, revokeUrl, authorizeUrl] = [this.scope.trim(), this.revokeUrl.trim(), this.authorizeUrl.trim()]
    return {
      scheme: 'oauth',
      grant: this.grant,
      clientId: this.clientId.trim(),
      ...(this.clientSecret && { secret: this.clientSecret }),
      ...(this.typesAddresses
        ? {
            ...(this.grant === 'code' && authorizeUrl && { authorizeUrl }),
            tokenUrl: this.tokenUrl.trim(),
            ...(revokeUrl && { revokeUrl })
          }
        : { issuer: this.issuer.trim() }),
      ...(scope && { scope })
    }
  }

  /** Headers with a name or a value, without blank rows. */
  get #typedHeaders(): TypedHeader[] {
    const trimmed = this.headers.map(({ name, value }) => ({ name: name.trim(), value: value.trim() }))
    return trimmed.filter(({ name, value }) => name || value)
  }
  get #headersProblem(): string | undefined {
    const typed = this.#typedHeaders
    if (typed.length === 0) return 'Enter a header’s name and value.'
    return typed.some(({ name, value }) => !name || !value) ? 'Each header needs a name and a value.' : undefined
  }

  get addRequest(): Extract<Input<'accounts.add'>, { kind: 'service' }> {
    const { name, baseUrl, dataTypeSpelling } = this
    return {
      kind: 'service',
      name,
      baseUrl,
      authentication: this.#authentication,
      ...(this.certificate && { certificate: this.certificate }),
      ...(dataTypeSpelling !== USUAL_DATA_TYPE_SPELLING && { dataTypeSpelling })
    }
  }

  updateRequest(id: string): Input<'accounts.update'> {
    const { name, baseUrl, dataTypeSpelling } = this
    const folders = namesIn(this.folders)
    const areOther = folders.join('\n') !== this.#original?.folders.join('\n')
    return {
      id,
      name,
      baseUrl,
      ...(dataTypeSpelling !== this.#original?.dataTypeSpelling && { dataTypeSpelling }),
      ...(areOther && { folders }),
      ...(this.certificate !== undefined && { certificate: this.certificate }),
      ...(!this.keepsSecrets && { authentication: this.keepsKey ? this.#keyChange : this.#authentication })
    }
  }

  /** Adds a missing https:// to addresses; no other protocol is accepted. */
  completeAddresses(): void {
    for (const field of ['baseUrl', 'issuer', 'authorizeUrl', 'tokenUrl', 'revokeUrl'] as const) {
      const typed = this[field].trim()
      if (typed && !/^[a-z][a-z0-9+.-]*:\/\//i.test(typed)) this[field] = `https://${typed}`
    }
  }

  get #foldersProblem(): string | undefined {
    const names = namesIn(this.folders)
    if (names.length === 0) return 'Enter at least one folder, such as InBox.'
    if (names.length > MAX_FOLDERS) return `Enter no more than ${MAX_FOLDERS} folders.`
    const long = names.find((name) => name.length > MAX_FOLDER_LENGTH)
    if (long) return `“${long.slice(0, 30)}…” is too long for a folder name.`
    const twice = names.find(
      (name, index) => names.findIndex((one) => one.toLowerCase() === name.toLowerCase()) < index
    )
    return twice && `“${twice}” is listed twice.`
  }

  get #keyChange(): AuthenticationChange {
    const [secret, referer, sender] = [this.secret.trim(), this.referer.trim(), this.sender.trim()]
    return { scheme: 'api-key', ...(secret && { secret }), ...(referer && { referer }), ...(sender && { sender }) }
  }

  get #authentication(): Authentication {
    switch (this.scheme) {
      case 'none':
        return { scheme: 'none' }
      case 'api-key':
        return { scheme: 'api-key', ...this.#key }
      case 'bearer':
        return { scheme: 'bearer', token: this.token.trim(), ...(this.hasExtraKey && { apiKey: this.#key }) }
      case 'basic':
        // A space may be part of a password.
        return { scheme: 'basic', user: this.user.trim(), password: this.password }
      case 'oauth':
        return {
          ...this.#client,
          ...(this.#completedSignIn && this.grant === 'code' && { signIn: this.#completedSignIn.id }),
          ...(this.hasExtraKey && { apiKey: this.#key })
        }
      default:
        return { scheme: 'headers', headers: this.#typedHeaders }
    }
  }

  get #key() {
    const sender = this.sender.trim()
    const { key, secret, referer } = this
    return { key: key.trim(), secret: secret.trim(), referer, ...(sender && { sender }) }
  }

  /** Removes secrets from the page once they are submitted. */
  forgetSecrets(): void {
    this.secret = ''
    this.token = ''
    this.password = ''
    this.clientSecret = ''
    this.headers = [{ name: '', value: '' }]
  }
}

/** Splits a list by lines or commas, keeping its order. */
function namesIn(typed: string): string[] {
  return typed
    .split(/[\n,]/)
    .map((name) => name.trim())
    .filter((name) => name !== '')
}

/** Returns the origin that secrets belong to; undefined if the address is incomplete. */
function originOf(typed: string): string | undefined {
  return URL.parse(typed.trim())?.origin
}
