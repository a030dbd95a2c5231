/** One presenter for every error: what happened, what it means for the work, and what to do. Codes stand in the details only. */
import type { AppError, ErrorCode } from '../../../shared/contract/errors.ts'
import { inWords } from './dates.ts'

export interface ErrorWords {
  /** What happened. A sentence. */
  happened: string
  /** What it means for the work. A sentence. */
  meaning: string
  /** What to do. A sentence. */
  todo: string
  /** Whether trying again, as it is, may help. */
  canRetry: boolean
}

type Entry = readonly [happened: string, meaning: string, todo: string, canRetry?: 'retry']

const words: Record<ErrorCode, Entry> = {
  offline: [
    'This computer is offline.',
    'What you see is what was last known, and what you send waits in the Outbox.',
    'Go on working: everything is kept, and goes by itself when the line is back.',
    'retry'
  ],
  dns: [
    "The service's address can't be found.",
    'Nothing was sent.',
    'Check the address in Settings, and the network of this computer.',
    'retry'
  ],
  refused: [
    "Nobody answers at the account's address.",
    'Nothing was sent.',
    'Check the address and its port. If they are right, ask your provider whether the service is down.',
    'retry'
  ],
  timeout: [
    'The service took too long to answer.',
    'It may be busy, or the line slow.',
    'Try again in a moment.',
    'retry'
  ],
  tls: [
    'The connection to the service is not safe: its certificate is not accepted.',
    'Nothing was sent, so that nobody else can read it.',
    "Check this computer's date and time, and tell your administrator.",
    'retry'
  ],
  unauthorised: [
    'The service does not accept the credentials of this account.',
    'Nothing can be read or sent with this account until they are right.',
    'Check the key or token in Settings, or ask your administrator for a new one.'
  ],
  'payment-required': [
    'The account is on hold: a payment is due.',
    'The service takes nothing until it is settled. Drafts and what waits in the Outbox stay here.',
    'Tell whoever looks after the account at your office.'
  ],
  forbidden: [
    'This account may not do that.',
    'Nothing was changed.',
    'Ask your administrator for the permission, or choose another account.'
  ],
  'not-found': [
    'The service does not have this (any more).',
    'It may have been removed after its retention period.',
    'Refresh the list; if it should be there, ask your provider.'
  ],
  conflict: [
    'Somebody or something changed this at the same time.',
    'Your change was not made.',
    'Refresh to see how it stands now, then try again.',
    'retry'
  ],
  invalid: [
    'The service found something wrong in what was sent.',
    'Nothing was sent to anybody.',
    'Correct what is marked and send again.'
  ],
  'too-large': [
    'What was sent or asked for is too large for the service.',
    'Nothing was changed.',
    'Send fewer forms at a time, or smaller attachments.'
  ],
  quota: [
    'The plan of this account has no documents left.',
    'Nothing was sent. Drafts and what waits in the Outbox stay here.',
    'Ask whoever looks after the account to add documents.'
  ],
  'rate-limited': [
    'The service asks for a pause: too many calls in a short time.',
    'Nothing is lost.',
    'Wait a little and try again.',
    'retry'
  ],
  server: [
    'Something went wrong at the service.',
    'It is not your doing, and what you typed is kept.',
    'Try again in a few minutes; if it goes on, tell your provider.',
    'retry'
  ],
  'not-json': [
    "The answer did not come from the service, or can't be read.",
    'A sign-in page of the network, or a wrong address, often answers like this.',
    'Open a web page to sign in to the network, or check the address in Settings.',
    'retry'
  ],
  'unexpected-shape': [
    "The service answered with something that Countersign can't read.",
    'What could be read is shown.',
    'Copy the details and send them to whoever looks after Countersign.',
    'retry'
  ],
  incomplete: [
    'What the service sent is not whole.',
    'Nothing of it was kept, so that nobody takes a part for the whole.',
    'Try again. If it stops like this each time, tell your provider.',
    'retry'
  ],
  'no-data': [
    'The service answered, but with nothing in it.',
    'There may be nothing yet, or nothing any more. Nothing was kept.',
    'Look at the document to see whether somebody was asked to show who they are. If so, try again later, or ask your provider.',
    'retry'
  ],
  'error-answer': [
    'The service sent an error in place of what was asked for.',
    'Nothing was kept.',
    'Read what the service says below. If it says nothing, ask your provider about this document.',
    'retry'
  ],
  cancelled: ['This was stopped.', 'Nothing more happens.', 'Start it again when you like.', 'retry'],
  'bad-input': [
    'Countersign asked itself something wrong.',
    'What you did was not carried out; nothing is lost.',
    'Try again; if it goes on, send the details to whoever looks after Countersign.',
    'retry'
  ],
  'not-allowed': ['This page may not do that.', 'Nothing was done.', 'Close the page and go on from the list.'],
  gone: ["This isn't here any more.", 'It was removed, or belongs to another account.', 'Go back to the list.'],
  'no-account': [
    'No account is chosen.',
    'There is nowhere to read from or send to.',
    'Choose or add an account in Settings.'
  ],
  keychain: [
    "The keychain of this computer can't be used.",
    'The secret of the account was not kept, and is asked for again after a restart.',
    'Unlock the keychain, or tell your administrator.',
    'retry'
  ],
  storage: [
    "Countersign can't write to its storage.",
    'What you see is safe while this window stays open, but is not yet kept.',
    'Leave the window open and try again; tell your administrator if it goes on.',
    'retry'
  ],
  'no-space': [
    'The disk is full.',
    'What you see is safe while this window stays open, but is not yet kept.',
    'Free some space, then try again.',
    'retry'
  ],
  'not-writable': [
    "The folder can't be written to.",
    'The file was not saved.',
    'Choose another folder in Settings, then try again.',
    'retry'
  ],
  'not-a-pdf': [
    'The service answered with something that is not a PDF.',
    'The file was not saved, so that nobody takes it for one.',
    'Try again, or ask your provider about this document.',
    'retry'
  ],
  'bad-file': ["This file can't be used.", 'Nothing of it was taken.', 'Mend it, or choose another file.'],
  'unsafe-address': [
    'This address is not opened.',
    'It is not a safe web address, or it lies inside the network of the office.',
    'Ask your provider for the right address.'
  ],
  'not-signable': [
    "This person can't sign here now.",
    'It may be somebody else’s turn, or the document was not sent for signing in this application.',
    "Look at the document's page to see whose turn it is."
  ],
  'wrong-pin': [
    'That isn’t the PIN.',
    'Nothing was done.',
    'Give the PIN of staff again. A forgotten one is replaced where it is asked for, or in Settings under Counter.'
  ],
  'pin-wait': [
    'Too many wrong PINs were given.',
    'For a while none is taken, not even the right one.',
    'Wait a little, then give the PIN again.'
  ],
  'no-pin': [
    'There is no PIN of staff on this computer.',
    'Without one, nobody but the person who signs could bring the screen back.',
    'Choose one in Settings under Counter. Where a person has this screen, close Countersign: it opens without that lock.'
  ],
  busy: ['That is under way already.', 'Nothing was started a second time.', 'Wait until it is done.', 'retry'],
  internal: [
    'Something went wrong in Countersign.',
    'Nothing you typed is lost.',
    'Try again; if it goes on, send the details to whoever looks after Countersign.',
    'retry'
  ]
}

/** What is the matter with a file, or with an answer that isn't what was asked for, differs from one to the next. */
const toldByMessage: ReadonlySet<ErrorCode> = new Set([
  'bad-file',
  'not-a-pdf',
  'incomplete',
  'no-data',
  'error-answer'
])

/** The words for an error. Never holds the service's own text: show `serviceMessage` apart, as text. */
export function presentError(error: AppError): ErrorWords {
  const [known, meaning, todo, retry] = words[error.code] ?? words.internal
  const happened = toldByMessage.has(error.code) ? error.message : known
  if (error.mayHaveArrived) {
    return {
      happened,
      meaning: 'No answer came, so it may have arrived or not.',
      todo: 'Countersign asks the service by itself what became of it. Send nothing again before that is known.',
      canRetry: false
    }
  }
  const isTold = error.code === 'rate-limited' || error.code === 'pin-wait' || error.code === 'wrong-pin'
  const wait = isTold && error.retryAfterMs ? `Wait ${inWords(error.retryAfterMs)}, then try again.` : todo
  return { happened, meaning, todo: wait, canRetry: retry === 'retry' }
}

/** What a person copies for whoever helps them: the code, our sentence, what the service said. */
export function detailsOf(error: AppError): string {
  return [
    `Code: ${error.code}`,
    error.message,
    error.serviceMessage && `The service says: ${error.serviceMessage}`,
    error.path && `Place in the answer: ${error.path}`,
    ...(error.fields ?? []).map((field) => `${field.field}: ${field.message}`)
  ]
    .filter(Boolean)
    .join('\n')
}
