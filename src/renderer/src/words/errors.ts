/**
 * The one presenter of errors. What happened is always the main process's own sentence, which knows what was being done;
 * what it means and the way on are added here by the code, where the error doesn't say them itself. So whatever stands here
 * must be true wherever that code is used.
 */
import { type AppError, type ErrorCode, saidBy } from '../../../shared/contract/errors.ts'
import { inWords } from './dates.ts'

export interface ErrorWords {
  /** What happened. A sentence or two. */
  happened: string
  /** What it means for the work. Sentences; empty where `happened` says it. */
  meaning: string
  /** What to do. A sentence or two; empty where there is nothing to do. */
  todo: string
  /** Whether trying again, as it is, may help. */
  canRetry: boolean
}

interface Entry {
  meaning?: string
  next?: string
  canRetry?: true
}

const KEEPER = 'send the details to the person who looks after Countersign'

const byCode: Record<ErrorCode, Entry> = {
  offline: {
    meaning: 'You can go on working: what you send waits in the Outbox.',
    next: 'Try again when this computer is online.',
    canRetry: true
  },
  dns: { next: 'Check the address in Settings, and this computer’s network.', canRetry: true },
  refused: {
    next: 'Check the address in Settings. If it is right, ask your provider whether the service is down.',
    canRetry: true
  },
  timeout: { next: 'Try again in a moment.', canRetry: true },
  tls: { next: 'Check this computer’s date and time, and tell your administrator.', canRetry: true },
  unauthorised: {
    meaning: 'Nothing can be read or sent with this account until the key or token is right.',
    next: 'Check it in Settings, or ask your administrator for a new one.'
  },
  'payment-required': {
    meaning: 'Until then the service takes nothing. Drafts and what waits in the Outbox stay here.',
    next: 'Tell the person who looks after the account at your office.'
  },
  forbidden: { next: 'Ask your administrator for the permission, or choose another account.' },
  'not-found': { next: 'Refresh and look again. If it should be there, ask your provider.' },
  conflict: { next: 'Look at how it stands now, then decide again.', canRetry: true },
  invalid: { next: 'Correct it, then try again.' },
  'too-large': { next: 'Try with less at a time. If that can’t be, ask your provider.' },
  quota: {
    meaning: 'Drafts and what waits in the Outbox stay here.',
    next: 'Ask the person who looks after the account to add documents.'
  },
  'rate-limited': { next: 'Wait a little, then try again.', canRetry: true },
  server: { next: 'Try again in a few minutes. If it goes on, tell your provider.', canRetry: true },
  'not-json': {
    meaning: 'A sign-in page of the network, or a wrong address, often answers like this.',
    next: 'Open a web page to sign in to the network, or check the address in Settings.',
    canRetry: true
  },
  'unexpected-shape': { next: `Try again. If it goes on, ${KEEPER}.`, canRetry: true },
  incomplete: { next: 'Try again. If it stops like this each time, tell your provider.', canRetry: true },
  'no-data': {
    next: 'See whether an identity check was asked for. If so, try again later, or ask your provider.',
    canRetry: true
  },
  'error-answer': {
    next: 'Read what the service says. If it says nothing, ask your provider about this document.',
    canRetry: true
  },
  cancelled: { canRetry: true },
  'bad-input': { next: `Try again. If it goes on, ${KEEPER}.`, canRetry: true },
  'not-allowed': {},
  gone: { next: 'Go back to the list and look again.' },
  'no-account': { next: 'Choose or add an account in Settings.' },
  keychain: { next: 'Unlock the keychain, or tell your administrator.', canRetry: true },
  storage: { next: 'Try again. If it goes on, tell your administrator.', canRetry: true },
  'no-space': { next: 'Free some space, then try again.', canRetry: true },
  'not-writable': { next: 'Choose another folder, then try again.', canRetry: true },
  'not-a-pdf': { next: 'Try again, or ask your provider about this document.', canRetry: true },
  'bad-file': { next: 'Fix it, or choose another file.' },
  'unsafe-address': { next: 'Ask your provider for the right address.' },
  'not-signable': { next: 'See on the document’s page whose turn it is.' },
  'wrong-pin': {
    next: 'Enter the staff PIN again. A forgotten one is replaced where it is asked for, or in Settings under Counter.'
  },
  'pin-wait': { next: 'Wait a little, then enter the PIN again.' },
  'no-pin': {
    next: 'Choose one in Settings under Counter. If a person has this screen, close Countersign: it opens without that lock.'
  },
  busy: { next: 'Wait until it is finished.', canRetry: true },
  internal: { next: `Try again. If it goes on, ${KEEPER}.`, canRetry: true }
}

/** The codes for which an error says how long to wait. */
const timed: ReadonlySet<ErrorCode> = new Set(['rate-limited', 'pin-wait', 'wrong-pin'])

/** The words for an error. Never holds the service's own text: show `serviceMessage` apart, as text. */
export function presentError(error: AppError): ErrorWords {
  const { meaning = '', next = '', canRetry = false } = byCode[error.code] ?? byCode.internal
  const happened = error.message
  if (error.mayHaveArrived) {
    return {
      happened,
      meaning: 'It may have arrived all the same.',
      todo: 'Countersign asks the service by itself what became of it. Send nothing again before that is known.',
      canRetry: false
    }
  }
  const wait = timed.has(error.code) && error.retryAfterMs && `Wait ${inWords(error.retryAfterMs)}, then try again.`
  return { happened, meaning, todo: wait || (error.next ?? next), canRetry }
}

/** All that is said of an error, in one text. */
export function errorInWords(error: AppError): string {
  const { happened, meaning, todo } = presentError(error)
  return [happened, meaning, todo].filter(Boolean).join(' ')
}

/** What a person copies for anyone who helps them: the code, our sentence, what the service said. */
export function detailsOf(error: AppError): string {
  return [
    `Code: ${error.code}`,
    saidBy(error),
    error.serviceMessage && `The service says: ${error.serviceMessage}`,
    error.path && `Place in the answer: ${error.path}`,
    ...(error.fields ?? []).map((field) => `${field.field}: ${field.message}`)
  ]
    .filter(Boolean)
    .join('\n')
}
