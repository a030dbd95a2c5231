/** A slow service: a thread of its own that answers every send after a delay, and counts what it received. */
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { isMainThread, parentPort, Worker, workerData } from 'node:worker_threads'

export interface SlowService {
  url: string
  /** How many sends arrived since this was last asked. */
  taken(): Promise<number>
  close(): Promise<void>
}

/** @param delay milliseconds before a send is answered. */
export async function openSlowService(delay: number): Promise<SlowService> {
  const worker = new Worker(new URL(import.meta.url), { workerData: { delay } })
  const nextMessage = () => new Promise<number>((resolve) => worker.once('message', resolve))
  const port = await nextMessage()
  return {
    url: `http://127.0.0.1:${port}`,
    taken() {
      const answer = nextMessage()
      worker.postMessage('taken')
      return answer
    },
    async close() {
      await worker.terminate()
    }
  }
}

if (!isMainThread && parentPort && (workerData as { delay?: number } | null)?.delay !== undefined) {
  const port = parentPort
  const { delay } = workerData as { delay: number }
  let taken = 0
  const server = createServer(async (request, answer) => {
    const chunks = await request.toArray()
    if (request.method !== 'POST') return void answer.setHeader('content-type', 'application/json').end('[]')
    const number = ++taken
    const { Forms } = JSON.parse(Buffer.concat(chunks).toString()) as { Forms: { Name: string }[] }
    setTimeout(() => {
      const Documents = Forms.map(({ Name }, index) => ({
        Reference: `document-${number}-${index}`,
        Name: `${Name}.pdf`,
        Signers: [],
        Status: 'NotStart'
      }))
      answer
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify({ PackageReference: `package-${number}`, PackageStatus: 'Sent', Documents }))
    }, delay)
  })
  server.keepAliveTimeout = 60_000
  server.listen(0, '127.0.0.1', () => port.postMessage((server.address() as AddressInfo).port))
  port.on('message', () => {
    port.postMessage(taken)
    taken = 0
  })
}
