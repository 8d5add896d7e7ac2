//! The objects: wraps the file system of the crate s3s-fs. A write is atomic: other requests see
//! the object with all of its attributes or not at all. Each object that a request creates is
//! reported.

use std::{
    collections::HashSet,
    fs::{read_dir, remove_file, rename},
    future::ready,
    io,
    path::{Component, Path, PathBuf},
    sync::{Arc, Mutex, PoisonError},
};

use anyhow::{Context as _, anyhow};
use axum::{
    body::Bytes,
    http::{HeaderValue, Method, Uri, header},
};
use base64::prelude::{BASE64_URL_SAFE_NO_PAD, Engine as _};
use futures_util::{StreamExt, TryStreamExt, stream};
use s3s::checksum::ChecksumHasher;
use s3s::{
    Body, S3, S3Error, S3ErrorCode, S3Request, S3Response, S3Result,
    dto::{
        AbortMultipartUploadInput, AbortMultipartUploadOutput, CompleteMultipartUploadInput,
        CompleteMultipartUploadOutput, CopyObjectInput, CopyObjectOutput, CreateMultipartUploadInput,
        CreateMultipartUploadOutput, DeleteObjectInput, DeleteObjectOutput, DeleteObjectsInput, DeleteObjectsOutput,
        ETag, GetObjectInput, GetObjectOutput, HeadObjectInput, HeadObjectOutput, ListBucketsInput, ListBucketsOutput,
        ListObjectVersionsInput, ListObjectVersionsOutput, ListObjectsV2Input, ListObjectsV2Output, Object as Listed,
        ObjectVersion, PutObjectInput, PutObjectOutput, StreamingBlob, UploadPartInput, UploadPartOutput,
    },
    s3_error,
};
use s3s_fs::FileSystem;
use tokio::sync::RwLock;
use tokio::task::spawn_blocking;

use super::{access::check_key, event::Created, object::Object};

/// The version of every object, as in a bucket without versioning.
const VERSION: &str = "null";

/// The objects that are imported at the same time. Each is written in a dozen steps, which wait for
/// a thread one by one.
const CONCURRENT_IMPORTS: usize = 16;

/// The objects of all buckets.
#[derive(Clone)]
pub(super) struct Store {
    files: Arc<FileSystem>,
    root: PathBuf,
    /// Guards the objects, because s3s-fs writes the content and the attributes of an object to
    /// different files.
    lock: Arc<RwLock<()>>,
    /// The uploads of which a part has a checksum of its own.
    with_checksums: Arc<Mutex<HashSet<String>>>,
    created: Arc<dyn Fn(&Created) + Send + Sync>,
}

impl Store {
    /// Opens the objects in a directory, which has a folder for each bucket.
    pub(super) fn open(root: &Path, created: Arc<dyn Fn(&Created) + Send + Sync>) -> anyhow::Result<Self> {
        let failed = || format!("cannot open {}", root.display());
        let root = root.canonicalize().with_context(failed)?;
        let files = FileSystem::new(&root).map_err(|error| anyhow!("{error:?}")).with_context(failed)?;
        Ok(Self { files: Arc::new(files), root, lock: Arc::default(), with_checksums: Arc::default(), created })
    }

    /// Puts objects with different keys without reporting them.
    pub(super) async fn import(&self, bucket: &str, objects: Vec<(String, Object)>) -> anyhow::Result<()> {
        let _lock = self.lock.write().await;
        let puts = objects.into_iter().map(|(key, object)| async move {
            let failed = |error| anyhow!("cannot put {key}: {error}");
            check_key(&key).map_err(failed)?;
            let input = PutObjectInput {
                bucket: bucket.to_owned(),
                key: key.clone(),
                content_type: object.content_type,
                cache_control: object.cache_control,
                body: Some(Body::from(object.bytes).into()),
                ..PutObjectInput::default()
            };
            self.files.put_object(request(Method::PUT, input)).await.map_err(failed)
        });
        stream::iter(puts).buffer_unordered(CONCURRENT_IMPORTS).try_for_each(|_| ready(Ok(()))).await
    }

    /// Returns an object.
    pub(super) async fn object(&self, bucket: &str, key: &str) -> S3Result<Object> {
        let input = GetObjectInput { bucket: bucket.to_owned(), key: key.to_owned(), ..GetObjectInput::default() };
        let output = self.get_object(request(Method::GET, input)).await?.output;
        Ok(Object {
            content_type: output.content_type,
            cache_control: output.cache_control,
            bytes: read(output.body).await?,
        })
    }

    /// Returns all objects of a bucket.
    pub(super) async fn list(&self, bucket: &str) -> S3Result<Vec<Created>> {
        let input =
            ListObjectsV2Input { bucket: bucket.to_owned(), max_keys: Some(i32::MAX), ..ListObjectsV2Input::default() };
        let output = self.list_objects_v2(request(Method::GET, input)).await?.output;
        let keys = output.contents.into_iter().flatten().filter_map(|object| object.key);
        let mut objects = vec![];
        for key in keys {
            // It may have been deleted since.
            objects.extend(self.describe(bucket, &key, "ObjectCreated:Put").await);
        }
        Ok(objects)
    }

    /// Returns the creation of an object, or `None` if there is no such object.
    async fn describe(&self, bucket: &str, key: &str, event: &'static str) -> Option<Created> {
        let (bucket, key) = (bucket.to_owned(), key.to_owned());
        let input = HeadObjectInput { bucket: bucket.clone(), key: key.clone(), ..HeadObjectInput::default() };
        let output = self.files.head_object(request(Method::HEAD, input)).await.ok()?.output;
        let size = output.content_length.and_then(|length| length.try_into().ok()).unwrap_or_default();
        let etag = output.e_tag.map(|etag| etag.value().to_owned()).unwrap_or_default();
        Some(Created { event, bucket, key, size, etag })
    }

    /// Reports an object that a request has created.
    async fn report(&self, bucket: &str, key: &str, event: &'static str) {
        if let Some(created) = self.describe(bucket, key, event).await {
            (self.created)(&created);
        }
    }

    /// Returns an error if a key is a folder of s3s-fs, because no object has this key then.
    fn check_exists(&self, bucket: &str, key: &str) -> S3Result<()> {
        if self.root.join(bucket).join(key).is_dir() {
            return Err(s3_error!(NoSuchKey, "The specified key does not exist."));
        }
        Ok(())
    }

    /// Numbers the parts of an upload without gaps, because s3s-fs does not accept the gaps that S3
    /// accepts. If the parts have [checksums](https://docs.aws.amazon.com/AmazonS3/latest/API/API_CompletedPart.html),
    /// S3 accepts none either.
    fn close_gaps(&self, input: &mut CompleteMultipartUploadInput) -> S3Result<()> {
        let has_checksums =
            self.with_checksums.lock().unwrap_or_else(PoisonError::into_inner).contains(&input.upload_id);
        let file = |number: i32| self.root.join(format!(".upload_id-{}.part-{number}", input.upload_id));
        let parts = input.multipart_upload.iter_mut().flat_map(|upload| &mut upload.parts).flatten();
        for (number, part) in (1..).zip(parts) {
            if let Some(old) = part.part_number.replace(number).filter(|old| *old > number) {
                if has_checksums {
                    return Err(s3_error!(
                        InvalidPartOrder,
                        "The numbers of parts with checksums must be consecutive."
                    ));
                }
                let invalid = |_| s3_error!(InvalidPart, "One or more of the specified parts could not be found.");
                rename(file(old), file(number)).map_err(invalid)?;
            }
        }
        Ok(())
    }

    /// Deletes the files in which s3s-fs keeps the attributes of an object. It leaves them when the
    /// object is deleted.
    fn delete_attributes(&self, bucket: &str, key: &str) {
        let [bucket, key] = [bucket, key].map(|name| BASE64_URL_SAFE_NO_PAD.encode(name));
        for kind in ["metadata", "internal"] {
            // There is none if the object did not exist.
            let _ = remove_file(self.root.join(format!(".bucket-{bucket}.object-{key}.{kind}.json")));
        }
    }
}

/// Returns a request for the file system, which reads nothing but the input.
fn request<T>(method: Method, input: T) -> S3Request<T> {
    S3Request {
        input,
        method,
        uri: Uri::default(),
        headers: axum::http::HeaderMap::new(),
        extensions: axum::http::Extensions::new(),
        credentials: None,
        region: None,
        service: None,
        trailing_headers: None,
    }
}

/// Returns the error of S3 for an upload that is over, for which s3s-fs has another one.
fn no_such_upload(error: S3Error) -> S3Error {
    if *error.code() == S3ErrorCode::AccessDenied {
        return s3_error!(NoSuchUpload, "The specified multipart upload does not exist.");
    }
    error
}

/// Checks the SHA-256 that a request announces. s3s-fs checks it only after it has written the file.
fn check_sha256(input: &PutObjectInput, bytes: &[u8]) -> S3Result<()> {
    let Some(expected) = &input.checksum_sha256 else { return Ok(()) };
    let mut hasher = ChecksumHasher { sha256: Some(<_>::default()), ..ChecksumHasher::default() };
    hasher.update(bytes);
    if hasher.finalize().checksum_sha256.as_ref() == Some(expected) {
        return Ok(());
    }
    Err(s3_error!(BadDigest, "The SHA256 you specified did not match the calculated checksum."))
}

/// Reads a body to its end.
async fn read(body: Option<StreamingBlob>) -> S3Result<Bytes> {
    let mut body = body.map(Body::from).unwrap_or_default();
    let incomplete = |_| s3_error!(IncompleteBody, "The request ended before its body was complete.");
    body.store_all_limited(usize::MAX).await.map_err(incomplete)
}

#[async_trait::async_trait]
impl S3 for Store {
    /// Puts an object, also that of a presigned POST. Its whole body is read first, so that a slow
    /// client holds no lock.
    async fn put_object(&self, mut request: S3Request<PutObjectInput>) -> S3Result<S3Response<PutObjectOutput>> {
        let (bucket, key) = (request.input.bucket.clone(), request.input.key.clone());
        check_key(&key)?;
        let is_form = request.method == Method::POST;
        let bytes = read(request.input.body.take()).await?;
        check_sha256(&request.input, &bytes)?;
        request.input.body = Some(Body::from(bytes).into());
        let lock = self.lock.write().await;
        let mut response = self.files.put_object(request).await?;
        self.report(&bucket, &key, if is_form { "ObjectCreated:Post" } else { "ObjectCreated:Put" }).await;
        drop(lock);
        if is_form && let Some(ETag::Strong(etag)) = &response.output.e_tag {
            let etag = HeaderValue::try_from(format!("\"{etag}\""));
            response.headers.extend(etag.map(|etag| (header::ETAG, etag)));
        }
        Ok(response)
    }

    async fn copy_object(&self, request: S3Request<CopyObjectInput>) -> S3Result<S3Response<CopyObjectOutput>> {
        let (bucket, key) = (request.input.bucket.clone(), request.input.key.clone());
        let _lock = self.lock.write().await;
        let response = self.files.copy_object(request).await?;
        self.report(&bucket, &key, "ObjectCreated:Copy").await;
        Ok(response)
    }

    async fn complete_multipart_upload(
        &self,
        mut request: S3Request<CompleteMultipartUploadInput>,
    ) -> S3Result<S3Response<CompleteMultipartUploadOutput>> {
        let (bucket, key) = (request.input.bucket.clone(), request.input.key.clone());
        let _lock = self.lock.write().await;
        self.close_gaps(&mut request.input)?;
        let response = self.files.complete_multipart_upload(request).await.map_err(no_such_upload)?;
        self.report(&bucket, &key, "ObjectCreated:CompleteMultipartUpload").await;
        Ok(response)
    }

    async fn get_object(&self, request: S3Request<GetObjectInput>) -> S3Result<S3Response<GetObjectOutput>> {
        self.check_exists(&request.input.bucket, &request.input.key)?;
        let _lock = self.lock.read().await;
        self.files.get_object(request).await
    }

    async fn head_object(&self, request: S3Request<HeadObjectInput>) -> S3Result<S3Response<HeadObjectOutput>> {
        self.check_exists(&request.input.bucket, &request.input.key)?;
        let _lock = self.lock.read().await;
        self.files.head_object(request).await
    }

    async fn delete_object(&self, request: S3Request<DeleteObjectInput>) -> S3Result<S3Response<DeleteObjectOutput>> {
        let (bucket, key) = (request.input.bucket.clone(), request.input.key.clone());
        if self.check_exists(&bucket, &key).is_err() {
            return Ok(S3Response::new(DeleteObjectOutput::default()));
        }
        let _lock = self.lock.write().await;
        let response = self.files.delete_object(request).await?;
        self.delete_attributes(&bucket, &key);
        Ok(response)
    }

    async fn delete_objects(
        &self,
        request: S3Request<DeleteObjectsInput>,
    ) -> S3Result<S3Response<DeleteObjectsOutput>> {
        let (bucket, delete) = (request.input.bucket.clone(), request.input.delete.clone());
        delete.objects.iter().try_for_each(|object| check_key(&object.key))?;
        let _lock = self.lock.write().await;
        let mut response = self.files.delete_objects(request).await?;
        for object in delete.objects {
            self.delete_attributes(&bucket, &object.key);
        }
        if delete.quiet == Some(true) {
            response.output.deleted = None;
        }
        Ok(response)
    }

    /// Lists objects. s3s-fs does not encode the keys, so the answer must not say that they are
    /// encoded.
    async fn list_objects_v2(
        &self,
        mut request: S3Request<ListObjectsV2Input>,
    ) -> S3Result<S3Response<ListObjectsV2Output>> {
        request.input.encoding_type = None;
        let _lock = self.lock.read().await;
        if request.input.delimiter.is_some() {
            return self.files.list_objects_v2(request).await;
        }
        let input = request.input;
        let bucket = self.root.join(&input.bucket);
        if !bucket.is_dir() {
            return Err(s3_error!(NoSuchBucket));
        }
        let prefix = input.prefix.clone().unwrap_or_default();
        let walk = spawn_blocking(move || objects_with_prefix(&bucket, &prefix));
        let mut contents = walk.await.map_err(S3Error::internal_error)?.map_err(S3Error::internal_error)?;
        contents.sort_by(|a, b| a.key.cmp(&b.key));
        let begin = input.continuation_token.as_ref().max(input.start_after.as_ref());
        contents.retain(|object| begin.is_none_or(|begin| object.key.as_ref() > Some(begin)));
        let max_keys = input.max_keys.unwrap_or(1_000);
        let is_truncated = contents.len() > usize::try_from(max_keys).unwrap_or_default();
        contents.truncate(usize::try_from(max_keys).unwrap_or_default());
        Ok(S3Response::new(ListObjectsV2Output {
            next_continuation_token: contents.last().filter(|_| is_truncated).and_then(|last| last.key.clone()),
            key_count: contents.len().try_into().ok(),
            contents: Some(contents),
            is_truncated: Some(is_truncated),
            max_keys: Some(max_keys),
            name: Some(input.bucket),
            continuation_token: input.continuation_token,
            prefix: input.prefix,
            start_after: input.start_after,
            ..ListObjectsV2Output::default()
        }))
    }

    /// Lists each object as the only version of its key, as S3 does for a bucket without
    /// versioning.
    async fn list_object_versions(
        &self,
        request: S3Request<ListObjectVersionsInput>,
    ) -> S3Result<S3Response<ListObjectVersionsOutput>> {
        let input = ListObjectsV2Input {
            bucket: request.input.bucket.clone(),
            delimiter: request.input.delimiter.clone(),
            max_keys: request.input.max_keys,
            prefix: request.input.prefix.clone(),
            start_after: request.input.key_marker.clone(),
            ..ListObjectsV2Input::default()
        };
        let objects = self.list_objects_v2(self::request(Method::GET, input)).await?.output;
        let versions = objects.contents.into_iter().flatten().map(|object| ObjectVersion {
            key: object.key,
            last_modified: object.last_modified,
            size: object.size,
            is_latest: Some(true),
            version_id: Some(VERSION.to_owned()),
            ..ObjectVersion::default()
        });
        let is_truncated = objects.is_truncated == Some(true);
        Ok(S3Response::new(ListObjectVersionsOutput {
            versions: Some(versions.collect()),
            common_prefixes: objects.common_prefixes,
            delimiter: objects.delimiter,
            is_truncated: objects.is_truncated,
            key_marker: request.input.key_marker,
            max_keys: objects.max_keys,
            name: objects.name,
            next_version_id_marker: is_truncated.then(|| VERSION.to_owned()),
            next_key_marker: objects.next_continuation_token,
            prefix: objects.prefix,
            ..ListObjectVersionsOutput::default()
        }))
    }

    async fn list_buckets(&self, request: S3Request<ListBucketsInput>) -> S3Result<S3Response<ListBucketsOutput>> {
        self.files.list_buckets(request).await
    }

    async fn create_multipart_upload(
        &self,
        request: S3Request<CreateMultipartUploadInput>,
    ) -> S3Result<S3Response<CreateMultipartUploadOutput>> {
        self.files.create_multipart_upload(request).await
    }

    async fn upload_part(&self, request: S3Request<UploadPartInput>) -> S3Result<S3Response<UploadPartOutput>> {
        let UploadPartInput {
            checksum_crc32, checksum_crc32c, checksum_crc64nvme, checksum_sha1, checksum_sha256, ..
        } = &request.input;
        let checksums = [checksum_crc32, checksum_crc32c, checksum_crc64nvme, checksum_sha1, checksum_sha256];
        if checksums.into_iter().any(Option::is_some) {
            let mut uploads = self.with_checksums.lock().unwrap_or_else(PoisonError::into_inner);
            uploads.insert(request.input.upload_id.clone());
        }
        self.files.upload_part(request).await.map_err(no_such_upload)
    }

    async fn abort_multipart_upload(
        &self,
        request: S3Request<AbortMultipartUploadInput>,
    ) -> S3Result<S3Response<AbortMultipartUploadOutput>> {
        self.files.abort_multipart_upload(request).await
    }
}

/// Returns the objects of a bucket whose keys begin with `prefix`. Reads the folder of the prefix
/// alone, where s3s-fs reads each folder of the bucket, which takes seconds with a thousand photos.
fn objects_with_prefix(bucket: &Path, prefix: &str) -> io::Result<Vec<Listed>> {
    let folder = Path::new(prefix.rsplit_once('/').map_or("", |(folder, _)| folder));
    let is_inside = folder.components().all(|component| matches!(component, Component::Normal(_)));
    let mut folders = vec![bucket.join(folder)];
    folders.retain(|folder| is_inside && folder.is_dir());
    let mut objects = vec![];
    while let Some(folder) = folders.pop() {
        for entry in read_dir(folder)? {
            let entry = entry?;
            let (path, metadata) = (entry.path(), entry.metadata()?);
            let key = path.strip_prefix(bucket).ok().and_then(Path::to_str).unwrap_or_default();
            if metadata.is_dir() {
                folders.push(path);
            } else if key.starts_with(prefix) {
                objects.push(Listed {
                    key: Some(key.to_owned()),
                    last_modified: Some(metadata.modified()?.into()),
                    size: metadata.len().try_into().ok(),
                    ..Listed::default()
                });
            }
        }
    }
    Ok(objects)
}
