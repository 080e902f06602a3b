//! Files of an object store, as nodes and driver open them.
//!
//! Credentials come from the environment of each process (`AWS_ACCESS_KEY_ID`, `AWS_SECRET_ACCESS_KEY`,
//! `AWS_REGION`, `AWS_ENDPOINT`, `AWS_ALLOW_HTTP`, …) and never travel between them.

use std::path::PathBuf;
use std::sync::Arc;

use object_store::ObjectStore;
use object_store::aws::AmazonS3Builder;
use object_store::local::LocalFileSystem;
use url::Url;
use velamen_sql::datafusion::error::{DataFusionError, Result};
use velamen_sql::datafusion::execution::object_store::ObjectStoreRegistry;
use velamen_sql::datafusion::execution::runtime_env::{RuntimeEnv, RuntimeEnvBuilder};

/// Local files and S3 buckets, opened when they are named.
#[derive(Debug, Default)]
pub(crate) struct Stores {
    local: Arc<LocalFileSystem>,
}

impl ObjectStoreRegistry for Stores {
    fn register_store(&self, _: &Url, _: Arc<dyn ObjectStore>) -> Option<Arc<dyn ObjectStore>> {
        None
    }

    fn get_store(&self, url: &Url) -> Result<Arc<dyn ObjectStore>> {
        match url.scheme() {
            "" | "file" => Ok(Arc::clone(&self.local) as Arc<dyn ObjectStore>),
            "s3" => Ok(Arc::new(
                AmazonS3Builder::from_env()
                    .with_bucket_name(url.host_str().unwrap_or_default())
                    .build()
                    .map_err(|error| DataFusionError::ObjectStore(Box::new(error)))?,
            )),
            other => Err(DataFusionError::Configuration(format!("no object store for `{other}:`"))),
        }
    }
}

/// A runtime whose files are local or in a bucket; what does not fit into memory goes into `spill`.
pub(crate) fn runtime(spill: Option<PathBuf>) -> Result<Arc<RuntimeEnv>> {
    let builder = RuntimeEnvBuilder::new().with_object_store_registry(Arc::new(Stores::default()));
    match spill {
        Some(folder) => builder.with_temp_file_path(folder).build_arc(),
        None => builder.build_arc(),
    }
}
