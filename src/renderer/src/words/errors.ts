/**
 * The single place that presents errors. What happened is always the main process's own sentence, as it knows what was
 * being done. What it means and what to do are added here by error code, unless the error says so itself. The texts
 * here must therefore hold wherever the code is used.
 */
import { type AppError, type ErrorCode, errorText } from '../../../shared/contract/errors.ts'
import { durationInWords } from './dates.ts'

export interface ErrorWords {
  /** What happened, in a sentence or two. */
  happened: string
  /** What it means for the work, in sentences. Empty if `happened` says it. */
  meaning: string
  /** What to do, in a sentence or two. Empty if there is nothing to do. */
  todo: string
}

interface Entry {
  meaning?: string
  next?: string
}

const ASK_ADMINISTRATOR = 'send the details to your administrator'

const byCode: Record<ErrorCode, Entry> = {
  offline: {
    meaning: 'You can keep working. Anything you send waits in the Outbox.',
    next: 'Try again when you’re back online.'
  },
  dns: { next: 'Check your network connection, or ask your administrator.' },
  refused: {
    next: 'Try again in a few minutes. If it continues, ask your provider whether the service is down.'
  },
  timeout: { next: 'Try again in a moment.' },
  tls: { next: 'Check this computer’s date and time, or contact your administrator.' },
  unauthorised: {
    meaning: 'You can’t send or load anything with this account until it’s corrected.',
    next: 'Check the key or token in Settings, or ask your administrator for a new one.'
  },
  'payment-required': {
    meaning: 'Nothing can be sent until then. Your drafts and Outbox are kept.',
    next: 'Tell the person who manages the account at your office.'
  },
  forbidden: { next: 'Ask your administrator for permission, or switch to another account.' },
  'not-found': { next: 'Refresh and try again. If it should be there, ask your provider.' },
  conflict: { next: 'Check the latest version, then try again.' },
  invalid: { next: 'Correct it, then try again.' },
  'too-large': { next: 'Try with fewer items. If you can’t, ask your provider.' },
  quota: {
    meaning: 'Your drafts and Outbox are kept.',
    next: 'Ask the person who manages the account to add documents.'
  },
  'rate-limited': { next: 'Wait a moment, then try again.' },
  server: { next: 'Try again in a few minutes. If it continues, tell your provider.' },
  'not-json': {
    meaning: 'Usually this is a network’s sign-in page.',
    next: 'Open a browser to sign in to the network, then try again.'
  },
  'unexpected-shape': { next: `Try again. If it continues, ${ASK_ADMINISTRATOR}.` },
  incomplete: { next: 'Try again. If it happens each time, tell your provider.' },
  'no-data': {
    next: 'Check that an identity check was requested. If so, try again later or ask your provider.'
  },
  'error-answer': {
    next: 'Read the service’s message under Details, or ask your provider about this document.'
  },
  cancelled: {},
  'bad-input': { next: `Try again. If it continues, ${ASK_ADMINISTRATOR}.` },
  'not-allowed': {},
  gone: { next: 'Go back to the list and refresh.' },
  'no-account': { next: 'Choose or add an account in Settings.' },
  keychain: { next: 'Unlock the keychain, or contact your administrator.' },
  storage: { next: 'Try again. If it continues, contact your administrator.' },
  'no-space': { next: 'Free some space, then try again.' },
  'not-writable': { next: 'Choose another folder, then try again.' },
  'not-a-pdf': { next: 'Try again, or ask your provider about this document.' },
  'bad-file': { next: 'Fix it, or choose another file.' },
  'unsafe-address': { next: 'Ask your administrator, or your provider for the correct address.' },
  'not-signable': { next: 'Open the document to see whose turn it is.' },
  'wrong-pin': {
    next: 'Enter the staff PIN again. If you forgot it, choose “Forgot PIN?”.'
  },
  'pin-wait': { next: 'Wait a moment, then enter the PIN again.' },
  'pin-once': { next: 'Lock Countersign, and enter it with your name there.' },
  'no-pin': {
    next: 'Choose one in Settings, under Counter. If someone is signing on this screen, close Countersign and open it again.'
  },
  busy: { next: 'Wait until it’s finished.' },
  internal: { next: `Try again. If it continues, ${ASK_ADMINISTRATOR}.` }
}

/** Codes whose errors say how long to wait. */
const timedCodes: ReadonlySet<ErrorCode> = new Set(['rate-limited', 'pin-wait', 'wrong-pin'])

/**
 * Returns the words for an error. They never contain the service's own message: show `serviceMessage` separately, as
 * text.
 */
export function presentError(error: AppError): ErrorWords {
  const { meaning = '', next = '' } = byCode[error.code] ?? byCode.internal
  const happened = error.message
  if (error.mayHaveArrived) {
    return {
      happened,
      meaning: 'It may have arrived anyway.',
      todo: 'Countersign is checking with the service. Don’t send it again until you know.'
    }
  }
  const wait =
    timedCodes.has(error.code) && error.retryAfterMs && `Wait ${durationInWords(error.retryAfterMs)}, then try again.`
  return { happened, meaning, todo: wait || (error.next ?? next) }
}

/** Returns everything there is to say about an error, as one text. */
export function errorInWords(error: AppError): string {
  const { happened, meaning, todo } = presentError(error)
  return [happened, meaning, todo].filter(Boolean).join(' ')
}

/** Returns the details people copy for the person who helps them: the code, our sentence, and what the service said. */
export function detailsOf(error: AppError): string {
  return [
    `Code: ${error.code}`,
    errorText(error),
    error.serviceMessage && `Service message: ${error.serviceMessage}`,
    error.path && `Field: ${error.path}`,
    ...(error.fields ?? []).map((field) => `${field.field}: ${field.message}`)
  ]
    .filter(Boolean)
    .join('\n')
}

/** What the service's paths number, from 0. */
const numbered: Readonly<Record<string, (number: number) => string>> = {
  forms: (number) => `Form ${number}`,
  templates: (number) => `Template ${number}`,
  signers: (number) => `Signer ${number}`,
  shareusers: (number) => `Shared with person ${number}`,
  iddata: (number) => `Identity question ${number}`,
  fields: (number) => `Field ${number}`,
  listitems: (number) => `Drop-down choice ${number}`
}

/**
 * Returns where a field that the service names is, counted as people count: `Forms[0].Signers[1].FirstName` → “Form 1,
 * Signer 2, FirstName”. A path of any other kind stays as the service wrote it.
 */
export function fieldInWords(field: string): string {
  const steps = field.split('.').map((step) => {
    const [, list, index] = /^(\w+)\[(\d{1,6})\]$/.exec(step) ?? []
    if (list !== undefined) return numbered[list.toLowerCase()]?.(Number(index) + 1)
    return /^\w+$/.test(step) ? step : undefined
  })
  return steps.every((step) => step !== undefined) ? steps.join(', ') : field
}

/**
 * Explains that a draft wasn't made this workstation's own, or the office's. Only a conflict proves that nothing was
 * done.
 */
export function shareFailureInWords(title: string, whose: 'mine' | 'office', { code }: AppError): string {
  if (whose === 'office') return `“${title}” isn’t shared yet.`
  return code === 'conflict'
    ? `“${title}” is still shared.`
    : `“${title}” may still be shared. Check again in a few minutes.`
}
