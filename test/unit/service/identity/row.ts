/** One row of the table of faults: what a server does, and what the user sees. */
import type { Socket } from 'node:net'
import type { ErrorCode } from '../../../../src/shared/contract/index.ts'
import type { IDVerificationDataType } from '../../../../src/shared/model/index.ts'
import { hastyLimits } from '../../../contract/client-factory.ts'
import { type Answering, nobody, serve, serveBytes, serveSelfSigned } from '../../../contract/hand-written-service.ts'

/** Starts a server that misbehaves until the test is over, and returns its address. */
export type Misbehaving = () => Promise<string>

export interface Row {
  /** What the server does. */
  does: string
  asked: IDVerificationDataType
  at: Misbehaving
  code: ErrorCode
  /** What the user reads. */
  sentence: string
  /** The part of the service's own message that the user reads. */
  serviceMessage?: string
  /** Rows with the same value mean the same to the user, and may share their wording. */
  means?: string
  limits?: ReturnType<typeof hastyLimits>
  maxBytes?: number
}

export const answers =
  (answering: Answering): Misbehaving =>
  async () =>
    (await serve(answering)).url

export const speaks =
  (speak: (socket: Socket) => void): Misbehaving =>
  async () =>
    (await serveBytes(speak)).url

export const untrusted =
  (answering: Answering): Misbehaving =>
  async () =>
    (await serveSelfSigned(answering)).url

export const absent: Misbehaving = nobody

/** Time limits: silence, and total, in milliseconds. */
export function patience(silence: number, total: number): ReturnType<typeof hastyLimits> {
  const times = { answer: silence, idle: silence, total }
  return { ...hastyLimits(silence), times: { read: times, list: times, send: times, download: times } }
}
