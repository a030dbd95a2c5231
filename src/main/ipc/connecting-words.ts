/**
 * What went wrong when an account was tried: the words for other calls speak of documents, and of packages under way. Here
 * nothing was sent.
 */
import type { AppError } from '../../shared/contract/index.ts'
import { AppFailure } from '../core/lib/failure.ts'
import { isServiceError } from '../core/service/errors.ts'
import { asAppError } from './errors.ts'

/** Rejects as the call does, in these words. */
export async function inConnectingWords<Answer>(call: Promise<Answer>): Promise<Answer> {
  try {
    return await call
  } catch (error) {
    const { mayHaveArrived: _, ...described } = asAppError(error)
    const said = isServiceError(error) && (BY_STATUS.get(error.status ?? 0) ?? BY_CODE.get(error.code))
    throw new AppFailure({ ...described, ...said })
  }
}

type Said = Pick<AppError, 'message' | 'next'>

const BY_STATUS = new Map<number, Said>([
  [
    407,
    {
      message: 'A proxy on the way to the service wants to know who asks.',
      next: 'Sign in to it, for example in a browser, or ask your administrator.'
    }
  ],
  [
    503,
    {
      message:
        'The service is there and is out of use for now: it says that it is being worked on, or has too much to do.',
      next: 'Try again later. You can save the account meanwhile.'
    }
  ]
])

const BY_CODE = new Map<string, Said>([
  [
    'not-found',
    {
      message: 'Something answers at this address, and it has no document folders: the path is probably another one.',
      next: 'Check what comes after the host’s name. It is often /web/v1.4.'
    }
  ],
  [
    'not-json',
    {
      message: 'What answers at this address is not the signing service, but a page for people.',
      next: 'It may be the sign-in page of a network: open a web page and sign in there. Or the address is another one.'
    }
  ],
  [
    'unexpected-shape',
    {
      message: 'What answers at this address is not a signing service that Countersign knows.',
      next: 'Check the address.'
    }
  ],
  ['forbidden', { message: 'The service knows the key or token, and doesn’t let it read the folders.' }]
])
