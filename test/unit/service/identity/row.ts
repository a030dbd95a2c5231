/** One row of the table of faults: what a server does, and what the person is told. */
import type { Socket } from 'node:net'
import type { ErrorCode } from '../../../../src/shared/contract/index.ts'
import type { IDVerificationDataType } from '../../../../src/shared/model/index.ts'
import { hastyLimits } from '../../../contract/client-factory.ts'
import { type Answering, nobody, serve, serveBytes, serveSelfSigned } from '../../../contract/hand-written-service.ts'

/** The address of a server that misbehaves until the test is over. */
export type Misbehaving = () => Promise<string>

export interface Row {
  /** What the server does. */
  does: string
  asked: IDVerificationDataType
  at: Misbehaving
  code: ErrorCode
  /** What the person reads. */
  sentence: string
  /** What of the service's own words they read. */
  serviceMessage?: string
  /** Rows with the same word here mean the same to a person, and may be told in the same words. */
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

/** Gives up after so long a silence, and after so long in all; milliseconds. */
export function patience(silence: number, total: number): ReturnType<typeof hastyLimits> {
  const times = { answer: silence, idle: silence, total }
  return { ...hastyLimits(silence), times: { read: times, list: times, send: times, download: times } }
}
