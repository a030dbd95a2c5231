/** The result of an identity check: reference section 2.22. All of it is personal and never logged. */
import { z } from 'zod'
import { flag, listOf, received, text } from './spelling.ts'

/** The two formats of ID-verification data; for `pdf` the service answers with raw bytes. */
export const ID_VERIFICATION_DATA_TYPES = ['pdf', 'json'] as const
export type IDVerificationDataType = (typeof ID_VERIFICATION_DATA_TYPES)[number]

/** An attention in another form than the reference's is kept as text: what matters most is that there is one. */
const Attention = z.preprocess(asAttention, received({ Name: text.optional(), Detail: text.optional() }))

/** 2.22: one record. Images come as base64 text, with or without a `data:` prefix. */
export const IDVerificationRecord = received({
  ExamingDate: text.optional(),
  DocClass: text.optional(),
  PortraitImage: text.optional(),
  FrontIDImage: text.optional(),
  BackIDImage: text.optional(),
  SelectedIDImage: text.optional(),
  SelectedFrontIDImage: flag.optional(),
  FirstName: text.optional(),
  MiddleName: text.optional(),
  LastName: text.optional(),
  DOB: text.optional(),
  DocumentNumber: text.optional(),
  ExpirationDate: text.optional(),
  IssuingState: text.optional(),
  Country: text.optional(),
  FaceMatchResult: text.optional(),
  FaceMatchScore: text.optional(),
  FaceErrorMessage: text.optional(),
  IsPassed: flag.optional(),
  UserFirstName: text.optional(),
  UserMiddleName: text.optional(),
  UserLastName: text.optional(),
  Attentions: z.preprocess(asList, listOf(Attention)).optional(),
  DocId: text.optional()
})
export type IDVerificationRecord = z.output<typeof IDVerificationRecord>

function asList(value: unknown): unknown {
  return value === undefined || value === null || Array.isArray(value) ? value : [value]
}

function asAttention(value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return { Detail: inText(value) }
  return Object.fromEntries(
    Object.entries(value).map(([name, member]) => [name, /^(?:name|detail)$/i.test(name) ? inText(member) : member])
  )
}

const inText = (value: unknown): unknown =>
  typeof value === 'object' && value !== null ? JSON.stringify(value) : value

/**
 * Interpretation of the service's words about an identity check (reference 2.15). The values aren't documented: an
 * unlisted word never counts as a pass or a failure.
 */
const WORDS = {
  passed: 'pass passed success successful succeeded verified match matched true yes ok valid approved accepted live',
  failed:
    'fail failed failure unverified nomatch notmatch notmatched mismatch unmatched false no invalid rejected declined ' +
    'notverified notlive spoof expired',
  open:
    'requested pending waiting invited sent created notstart notstarted inprogress incomplete processing initialized ' +
    'initiated started queued',
  /** Says that a check has ended, but not with what result. */
  done: 'complete completed done finished',
  unsure: 'attention review manualreview needsreview inconclusive unknown skipped cancelled canceled error'
} as const

export type IdentityReading = keyof typeof WORDS

const readings = new Map(
  (Object.keys(WORDS) as IdentityReading[]).flatMap((reading) =>
    WORDS[reading].split(' ').map((word) => [word, reading] as const)
  )
)

/** Interprets a word, ignoring case and punctuation; undefined if it is unknown. */
export function identityReading(word: string): IdentityReading | undefined {
  return readings.get(word.toLowerCase().replace(/[^a-z]/g, ''))
}
