/**
 * Collects the content of a settings file: nothing secret, nothing about documents, and nothing specific to this
 * computer.
 */
import { ACCOUNT_COLOURS, type AccountColour } from '../../../shared/contract/views.ts'
import type { Account } from '../accounts/account.ts'
import { defined } from '../lib/objects.ts'
import type { SettingsFileDeps } from './importing.ts'
import type { FileAccount, FilePreset, FileView, SettingsFile } from './settings-file.ts'

/** Returns this computer's settings for a file. @throws AppFailure `storage` if a preset can't be read. */
export async function collectSettings(
  deps: Omit<SettingsFileDeps, 'lock' | 'note'>,
  madeBy: string
): Promise<SettingsFile> {
  const all = deps.accounts.list()
  // Each computer has its own practice office.
  const accounts = all.filter(({ kind }) => kind === 'service')
  const nameOf = (id: string) => all.find((one) => one.id === id)?.name
  const views = accounts.flatMap(({ id, name: account }) =>
    deps.views
      .list(id)
      .filter(isOwn)
      .map(({ name, tell, query: { accounts: ids, ...query } }): FileView => {
        const names = ids?.flatMap((one) => nameOf(one) ?? []) ?? []
        return { account, name, tell, query: names.length > 0 ? { ...query, accounts: names } : query }
      })
  )
  const presets = accounts.flatMap(({ id, name: account }) =>
    deps.presets
      .list(id)
      .filter(isOwn)
      .map((preset): FilePreset => {
        const { name, composition } = deps.presets.get(preset.id)
        return { account, name, composition }
      })
  )
  const { theme, zoom, documentColumns, countryCode } = deps.settings.read()
  const { pattern, types, writesIndex, concurrency } = deps.downloads.settings()
  const { evidence, idleText, fullScreen, useOtherDisplay, idle, lockAfter, allowedOrigins, ...others } =
    deps.counter.read()
  const { mayKeepPages, languages, moreTime, mayGiveFiles, receipt } = others
  return {
    madeBy,
    accounts: await Promise.all(accounts.map((account) => accountOf(account, deps))),
    views,
    presets,
    appearance: defined({ theme, zoom, documentColumns, countryCode }),
    notifications: deps.notifications.read(),
    counter: {
      evidence,
      idleText,
      fullScreen,
      useOtherDisplay,
      idle,
      lockAfter,
      allowedOrigins,
      mayKeepPages,
      languages: [...languages],
      moreTime,
      mayGiveFiles,
      receipt
    },
    downloads: defined({ pattern, types, writesIndex, concurrency })
  }
}

async function accountOf(account: Account, { accounts }: Pick<SettingsFileDeps, 'accounts'>): Promise<FileAccount> {
  const { id, name, baseUrl, scheme, folders, dataTypeSpelling, jsonByQuery, colour, mark } = account
  const signInPage = scheme === 'oauth' ? await signInPageOf(id, accounts) : undefined
  return {
    name,
    address: baseUrl ?? '',
    signIn: scheme,
    folders: [...folders],
    dataTypeSpelling,
    jsonByQuery,
    ...(isStandardColour(colour) && { colour }),
    ...(mark !== '' && { mark }),
    ...(signInPage && { signInPage })
  }
}

/** A policy may set any colour; other computers get it from the policy, too. */
function isStandardColour(colour: string): colour is AccountColour {
  return ACCOUNT_COLOURS.some((one) => one === colour)
}

/**
 * Settings for signing in with a browser. Omitted with a client secret or API key, without which they would be useless.
 */
async function signInPageOf(id: string, accounts: SettingsFileDeps['accounts']): Promise<FileAccount['signInPage']> {
  const kept = await accounts.credentialsOf(id).catch(() => undefined)
  if (kept?.scheme !== 'oauth' || kept.grant !== 'code' || kept.secret !== undefined || kept.apiKey) return undefined
  const { clientId, issuer, authorizeUrl, tokenUrl, revokeUrl, scope } = kept
  return defined({ clientId, issuer, authorizeUrl, tokenUrl, revokeUrl, scope })
}

/** Other computers receive the organisation's items by themselves. */
const isOwn = ({ isOrganisations }: { isOrganisations?: true }): boolean => isOrganisations !== true
