/**
 * How the data type is spelled in the address of operation 9. The reference leaves its allowed values open (section 5,
 * item 9): public clients write `pdf` and `json`, and a service that compares letter by letter may want `PDF` and `JSON`.
 */
import type { DataTypeSpelling } from '../../../shared/contract/data-type-spelling.ts'
import type { IDVerificationDataType } from '../../../shared/model/index.ts'
import { ServiceError } from './errors.ts'

type Spelling = 'lower' | 'upper'

export interface SpelledAsking {
  /**
   * Asks with one spelling after the other, as long as the answer may mean that the service doesn't know the word. What
   * worked once is what is asked from then on.
   * @throws ServiceError the refusal that tells most.
   */
  ask<Value>(type: IDVerificationDataType, call: (spelled: string) => Promise<Value>): Promise<Value>
}

/** @param setting as the account has it. Two spellings are two questions, so one that is known is asked alone. */
export function spelledAsking(setting: DataTypeSpelling): SpelledAsking {
  let known: Spelling | undefined = setting === 'lower-then-upper' ? undefined : setting

  return {
    async ask(type, call) {
      const asking = async (spelling: Spelling) => {
        const value = await call(spelling === 'upper' ? type.toUpperCase() : type)
        known = spelling
        return value
      }
      if (known) return asking(known)
      try {
        return await asking('lower')
      } catch (first) {
        if (!mayMeanUnknownWord(first)) throw first
        return asking('upper').catch((second: unknown) => {
          throw tellsMore(first, second) ? second : first
        })
      }
    }
  }
}

/** 400: not a value. 404: no such address. 405: no such address for reading. All else was understood, or never read. */
function mayMeanUnknownWord(thrown: unknown): thrown is ServiceError {
  return thrown instanceof ServiceError && [400, 404, 405].includes(thrown.status ?? 0)
}

/**
 * Whether the second refusal is the one to tell. A 404 also means that the data was removed, or was never there, and that
 * is what people are to read; a complaint about a word that we only tried is not.
 */
function tellsMore(first: ServiceError, second: unknown): boolean {
  return !mayMeanUnknownWord(second) || (isAboutWord(first) && !isAboutWord(second))
}

/** Whether it complains of the word, or says nothing at all, as where no part of the service is at that address. */
function isAboutWord({ status, serviceMessage = '', fields = [] }: ServiceError): boolean {
  const words = [serviceMessage, ...fields.flatMap(({ field, message }) => [field, message])].join(' ').trim()
  return status === 405 || words === '' || /data ?type/i.test(words)
}
