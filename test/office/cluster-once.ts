/** One PostgreSQL server for all tests of a run; each test file makes its own office on it. */
import type { TestProject } from 'vitest/node'
import { type ClusterPlace, openCluster } from '../fixtures/office-cluster.ts'

declare module 'vitest' {
  interface ProvidedContext {
    cluster: ClusterPlace
  }
}

export default async function setup(project: TestProject): Promise<() => Promise<void>> {
  const cluster = await openCluster()
  project.provide('cluster', cluster.place)
  return () => cluster.close()
}
