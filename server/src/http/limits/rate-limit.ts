import type { FastifyReply } from "fastify";
import ipaddr from "ipaddr.js";
import { sendRefusal } from "../refusal.js";
import { type BucketSize, type BucketState, createTokenBuckets } from "./token-buckets.js";

/** The rate limits of the service. Each method takes one token and sets the answer's `RateLimit` fields. */
export interface RateLimits {
  /**
   * Counts a request with a valid credential.
   *
   * @returns false when it has sent the 429
   */
  admitCredential(reply: FastifyReply, credential: string): boolean;
  /** The same, but without any effect when it returns false. */
  admitIfPossible(reply: FastifyReply, credential: string): boolean;
  /**
   * Counts a failed credential against the address it came from, so that guessing tokens is slow.
   *
   * @returns false when it has sent the 429; otherwise the failure itself is to be answered
   */
  admitFailure(reply: FastifyReply, address: string): boolean;
}

/** @param onRefused called with whom a 429 was sent to: a credential, or `address` and the network of failed credentials */
export function createRateLimits(size: BucketSize, onRefused: (who: string) => void): RateLimits {
  const credentials = createTokenBuckets(size);
  const addresses = createTokenBuckets(size);
  const quota = quotaOf(size);

  return {
    admitIfPossible(reply, credential) {
      const bucket = credentials.take(credential);
      if (bucket.allowed) setLimitFields(reply, "default", quota, bucket);
      return bucket.allowed;
    },
    admitCredential(reply, credential) {
      const isAdmitted = admit(reply, "default", quota, credentials.take(credential));
      if (!isAdmitted) onRefused(credential);
      return isAdmitted;
    },
    admitFailure(reply, address) {
      const network = networkOf(address);
      const isAdmitted = admit(reply, "address", quota, addresses.take(network));
      if (!isAdmitted) onRefused(`address ${network}`);
      return isAdmitted;
    },
  };
}

/**
 * The rate limit of the platform's requests, whatever owner they are for.
 *
 * @returns counts a request; false when it has sent the 429
 */
export function createPlatformLimit(
  size: BucketSize,
  onRefused: (who: string) => void,
): (reply: FastifyReply) => boolean {
  const buckets = createTokenBuckets(size);
  const quota = quotaOf(size);
  return (reply) => {
    const isAdmitted = admit(reply, "platform", quota, buckets.take("platform"));
    if (!isAdmitted) onRefused("platform");
    return isAdmitted;
  };
}

function quotaOf({ burst, perSecond }: BucketSize): string {
  return `q=${burst};w=${Math.ceil(burst / perSecond)}`;
}

function admit(reply: FastifyReply, policy: string, quota: string, bucket: BucketState): boolean {
  setLimitFields(reply, policy, quota, bucket);
  if (bucket.allowed) return true;
  const retryAfterS = Math.ceil(bucket.retryInMs / 1000);
  reply.header("retry-after", retryAfterS);
  sendRefusal(reply, "rate_limited", `rate limit exceeded: try again in ${retryAfterS} s`);
  return false;
}

/** The fields of draft-ietf-httpapi-ratelimit-headers: the policy, and what is left of it. */
function setLimitFields(reply: FastifyReply, policy: string, quota: string, bucket: BucketState): void {
  reply.header("ratelimit-policy", `"${policy}";${quota}`);
  reply.header("ratelimit", `"${policy}";r=${bucket.remaining};t=${Math.ceil(bucket.fullInMs / 1000)}`);
}

/** An IPv6 host commonly has a whole /64, so such a network counts as one address. */
function networkOf(address: string): string {
  if (!ipaddr.isValid(address)) return address;
  const parsed = ipaddr.process(address);
  return parsed instanceof ipaddr.IPv6 ? parsed.parts.slice(0, 4).join(":") : parsed.toString();
}
